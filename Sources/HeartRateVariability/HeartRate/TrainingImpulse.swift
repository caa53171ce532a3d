import Glibc

/// The training impulse of Banister 1991: the minutes of a session, weighted by the fraction of the heart
/// rate reserve in use and by how much lactate rises at that effort.
///
/// ```swift
/// if let impulse = TrainingImpulse(resting: 50, maximum: 190, weighting: .women) {
///   print(heartRates.trainingImpulse(impulse, during: window))
/// }
/// ```
public struct TrainingImpulse: Hashable, Sendable {
  /// The weight of a minute as a function of *x*, the fraction of the heart rate reserve in use:
  /// factor·e^(exponent·*x*).
  public struct Weighting: Hashable, Sendable {
    /// 0.64·e^(1.92·x), as measured in men.
    public static let men = Weighting(factor: 0.64, exponent: 1.92)
    /// 0.86·e^(1.67·x), as measured in women.
    public static let women = Weighting(factor: 0.86, exponent: 1.67)

    public let factor: Double
    public let exponent: Double
  }

  /// The resting heart rate in beats per minute.
  public let resting: Double
  /// The maximum heart rate in beats per minute.
  public let maximum: Double
  /// The function that determines the weight of a minute.
  public let weighting: Weighting

  /// Creates a training impulse.
  ///
  /// - Returns: `nil` if the resting heart rate is not above 0, or if the maximum is not above the resting
  ///   heart rate or is above 1,000.
  public init?(resting: Double, maximum: Double, weighting: Weighting) {
    guard resting > 0, resting < maximum, maximum <= 1000 else { return nil }
    self.resting = resting
    self.maximum = maximum
    self.weighting = weighting
  }

  /// Returns the training impulse of one minute at a heart rate. It is 0 below the resting heart rate, and
  /// constant above the maximum.
  func perMinute(at beatsPerMinute: Double) -> Double {
    let reserve = min(max((beatsPerMinute - resting) / (maximum - resting), 0), 1)
    return reserve * weighting.factor * exp(weighting.exponent * reserve)
  }
}

extension HeartRateSeries {
  /// Returns the training impulse of a window: the sum over all readings, each for as long as it is valid.
  /// Time without a known heart rate adds nothing. (Banister used the mean heart rate of the session. Because
  /// the weighting is convex, that leads to a lower value if the effort varies.)
  public func trainingImpulse(_ impulse: TrainingImpulse, during window: Window) -> Double {
    spans(in: window).reduce(0) { $0 + $1.duration / 60 * impulse.perMinute(at: $1.beatsPerMinute) }
  }

  /// Returns the summated zones score of Edwards 1993. Each minute counts as 1 point at 50 to 60 percent of
  /// the maximum heart rate, 2 points at 60 to 70 percent, and so on up to 5 points.
  ///
  /// - Returns: `nil` if the maximum is not above 0.
  public func summatedZones(maximum: Double, during window: Window) -> Double? {
    HeartRateZones(ofMaximum: maximum).map { zones in
      time(in: zones, during: window).enumerated().reduce(0) { $0 + Double($1.offset) * $1.element / 60 }
    }
  }
}
