import Glibc

/// The training impulse of Banister 1991: minutes, weighted by the heart-rate reserve in use and by how fast
/// lactate rises with it.
public struct TrainingImpulse: Hashable, Sendable {
  /// The curve of lactate: factor·e^(exponent·x).
  public struct Weighting: Hashable, Sendable {
    /// 0.64·e^(1.92·x), as measured in men.
    public static let men = Weighting(factor: 0.64, exponent: 1.92)
    /// 0.86·e^(1.67·x), as measured in women.
    public static let women = Weighting(factor: 0.86, exponent: 1.67)

    public let factor: Double
    public let exponent: Double
  }

  /// Beats per minute.
  public let resting: Double
  /// Beats per minute.
  public let maximum: Double
  public let weighting: Weighting

  /// - Returns: `nil` where rest is not above zero or the maximum is not above rest, or above 1,000.
  public init?(resting: Double, maximum: Double, weighting: Weighting) {
    guard resting > 0, resting < maximum, maximum <= 1000 else { return nil }
    self.resting = resting
    self.maximum = maximum
    self.weighting = weighting
  }

  /// The impulse of one minute at a rate. Below rest it is zero; above the maximum it is the maximum's.
  func perMinute(at beatsPerMinute: Double) -> Double {
    let reserve = min(max((beatsPerMinute - resting) / (maximum - resting), 0), 1)
    return reserve * weighting.factor * exp(weighting.exponent * reserve)
  }
}

extension HeartRateSeries {
  /// The training impulse of a window, added up over each reading for as long as it holds. (Banister took the
  /// session's mean rate; because the curve bends upward, that gives less for an uneven effort.) Time in
  /// which the rate is not known adds nothing.
  public func trainingImpulse(_ impulse: TrainingImpulse, during window: Window) -> Double {
    spans(in: window).reduce(0) { $0 + $1.duration / 60 * impulse.perMinute(at: $1.beatsPerMinute) }
  }

  /// The summated zones of Edwards 1993: minutes in each tenth of the maximum heart rate from 50 percent on,
  /// times 1 to 5.
  ///
  /// - Returns: `nil` where the maximum is not above zero.
  public func summatedZones(maximum: Double, during window: Window) -> Double? {
    HeartRateZones(ofMaximum: maximum).map { zones in
      time(in: zones, during: window).enumerated().reduce(0) { $0 + Double($1.offset) * $1.element / 60 }
    }
  }
}
