/// The heart rates at which zones of effort begin.
///
/// ```swift
/// if let zones = HeartRateZones(ofMaximum: 190) {
///   print(heartRates.time(in: zones, during: window))
/// }
/// ```
public struct HeartRateZones: Hashable, Sendable {
  /// The lower bound of each zone in beats per minute, ascending, beginning with zone 1. A heart rate is in
  /// the zone with the highest bound that it reaches. Zone 0 is below all bounds, and the last zone has no
  /// upper bound.
  public let bounds: [Double]

  /// The usual five zones: 50, 60, 70, 80 and 90 percent.
  public static let usualPercentages = [50.0, 60, 70, 80, 90]

  /// Creates zones with custom bounds.
  ///
  /// - Returns: `nil` if there are no bounds, or if they are not positive and strictly ascending.
  public init?(bounds: [Double]) {
    guard let first = bounds.first, first > 0, bounds.allSatisfy(\.isFinite),
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    self.bounds = bounds
  }

  /// Creates zones as percentages of the maximum heart rate.
  ///
  /// - Returns: `nil` as for ``init(bounds:)``.
  public init?(ofMaximum maximum: Double, percentages: [Double] = usualPercentages) {
    self.init(bounds: percentages.map { maximum * $0 / 100 })
  }

  /// Creates zones by percentages of the heart rate reserve (Karvonen 1957): each bound is the resting heart
  /// rate plus a percentage of the difference between maximum and resting heart rate.
  ///
  /// - Returns: `nil` as for ``init(bounds:)``, and if the maximum is not above the resting heart rate.
  public init?(
    ofReserveFrom resting: Double, to maximum: Double, percentages: [Double] = usualPercentages
  ) {
    guard resting > 0, resting < maximum else { return nil }
    self.init(bounds: percentages.map { resting + (maximum - resting) * $0 / 100 })
  }

  /// Returns the zone of a heart rate, from 0 to the number of bounds.
  public func zone(of beatsPerMinute: Double) -> Int {
    bounds.lastIndex { $0 <= beatsPerMinute }.map { $0 + 1 } ?? 0
  }
}

extension HeartRateSeries {
  /// Returns the seconds in each zone, beginning with zone 0 below all bounds. Time without a known heart
  /// rate is in no zone; ``knownTime(in:)`` is the sum of all zones.
  public func time(in zones: HeartRateZones, during window: Window) -> [Double] {
    var times = [Double](repeating: 0, count: zones.bounds.count + 1)
    for span in spans(in: window) { times[zones.zone(of: span.beatsPerMinute)] += span.duration }
    return times
  }
}
