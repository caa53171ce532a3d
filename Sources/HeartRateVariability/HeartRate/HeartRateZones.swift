/// Bounds between zones of effort.
public struct HeartRateZones: Hashable, Sendable {
  /// Where each zone begins, in beats per minute, ascending: the first number is where zone 1 does. A rate is
  /// in the zone with the highest bound that it reaches; below all it is in zone 0, and the last zone has no
  /// end.
  public let bounds: [Double]

  /// The usual five: 50, 60, 70, 80 and 90 percent.
  public static let usualPercentages = [50.0, 60, 70, 80, 90]

  /// Bounds of one's own.
  ///
  /// - Returns: `nil` where there is none, one is not above zero, or one is not above the one before.
  public init?(bounds: [Double]) {
    guard let first = bounds.first, first > 0, bounds.allSatisfy(\.isFinite),
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    self.bounds = bounds
  }

  /// Percentages of the maximum heart rate.
  ///
  /// - Returns: `nil` as ``init(bounds:)``.
  public init?(ofMaximum maximum: Double, percentages: [Double] = usualPercentages) {
    self.init(bounds: percentages.map { maximum * $0 / 100 })
  }

  /// Percentages of the heart-rate reserve, maximum less rest, above rest (Karvonen 1957).
  ///
  /// - Returns: `nil` as ``init(bounds:)``, and where the maximum is not above rest.
  public init?(
    ofReserveFrom resting: Double, to maximum: Double, percentages: [Double] = usualPercentages
  ) {
    guard resting > 0, resting < maximum else { return nil }
    self.init(bounds: percentages.map { resting + (maximum - resting) * $0 / 100 })
  }

  /// 0 to the number of bounds.
  public func zone(of beatsPerMinute: Double) -> Int {
    bounds.lastIndex { $0 <= beatsPerMinute }.map { $0 + 1 } ?? 0
  }
}

extension HeartRateSeries {
  /// The seconds in each zone, from zone 0, which is below all bounds. Time in which the rate is not known is
  /// in none; ``knownTime(in:)`` is the sum.
  public func time(in zones: HeartRateZones, during window: Window) -> [Double] {
    var times = [Double](repeating: 0, count: zones.bounds.count + 1)
    for span in spans(in: window) { times[zones.zone(of: span.beatsPerMinute)] += span.duration }
    return times
  }
}
