/// A range of frequencies, in hertz. The lower bound is in it, the upper one is not.
public struct FrequencyBand: Hashable, Sendable {
  /// Very low frequency, 0.0033 to 0.04 Hz: from waves of five minutes on. (The Task Force's begins at
  /// 0.003 Hz in a day, and has no lower bound in five minutes.)
  public static let vlf = FrequencyBand(lower: 0.0033, upper: 0.04)
  /// Low frequency, 0.04 to 0.15 Hz (Task Force 1996, table 2).
  public static let lf = FrequencyBand(lower: 0.04, upper: 0.15)
  /// High frequency, 0.15 to 0.4 Hz (the same).
  public static let hf = FrequencyBand(lower: 0.15, upper: 0.4)

  public let lower: Double
  public let upper: Double

  public init(lower: Double, upper: Double) {
    self.lower = lower
    self.upper = upper
  }

  /// Whether the frequency is in the band. One that is a bound but for rounding counts as the bound.
  func contains(_ frequency: Double) -> Bool {
    frequency >= lower * (1 - 1e-12) && frequency < upper * (1 - 1e-12)
  }
}
