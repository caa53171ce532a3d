/// A power spectral density at equally spaced frequencies.
public struct Spectrum: Hashable, Sendable {
  /// The first frequency in hertz.
  public let first: Double
  /// The spacing of frequencies in hertz.
  public let spacing: Double
  /// Densities in ms²/Hz. The integral over all positive frequencies is the variance of the intervals.
  public let densities: [Double]

  /// Returns the frequency at an index, in hertz.
  public func frequency(at index: Int) -> Double { first + Double(index) * spacing }

  /// Returns the power in a band in ms²: the sum of the densities in the band times the spacing. The powers
  /// of adjacent bands therefore add up to the power of both together.
  public func power(in band: FrequencyBand) -> Double {
    var sum = 0.0
    for (index, density) in densities.enumerated() where band.contains(frequency(at: index)) {
      sum += density
    }
    return sum * spacing
  }
}

/// A range of frequencies in hertz, including the lower bound and excluding the upper one.
public struct FrequencyBand: Hashable, Sendable {
  /// Very low frequency, 0.0033 to 0.04 Hz: periods of up to five minutes. (The Task Force's band begins at
  /// 0.003 Hz for recordings of a day, and has no lower bound for recordings of five minutes.)
  public static let vlf = FrequencyBand(lower: 0.0033, upper: 0.04)
  /// Low frequency, 0.04 to 0.15 Hz (Task Force 1996, table 2).
  public static let lf = FrequencyBand(lower: 0.04, upper: 0.15)
  /// High frequency, 0.15 to 0.4 Hz (Task Force 1996, table 2).
  public static let hf = FrequencyBand(lower: 0.15, upper: 0.4)

  /// The lower bound in hertz.
  public let lower: Double
  /// The upper bound in hertz.
  public let upper: Double

  /// Creates a band from its bounds in hertz.
  public init(lower: Double, upper: Double) {
    self.lower = lower
    self.upper = upper
  }

  /// Returns whether a frequency is in the band. A frequency that differs from a bound only by rounding
  /// counts as the bound.
  func contains(_ frequency: Double) -> Bool {
    frequency >= lower * (1 - 1e-12) && frequency < upper * (1 - 1e-12)
  }
}

/// The trend to subtract before a spectrum is computed. Without that, the trend would add power at all
/// frequencies.
public enum Detrending: Hashable, Sendable {
  /// Subtract the mean.
  case constant
  /// Subtract the least-squares line.
  case linear

  /// Returns the values without their trend. If only rounding errors would remain, returns zeros.
  func detrended(_ values: [Double], at times: [Double]) -> [Double] {
    let count = Double(values.count)
    guard count > 0 else { return [] }
    let mean = values.mean
    var slope = 0.0
    let middle = times.mean
    if self == .linear {
      var (products, squares) = (0.0, 0.0)
      for (value, time) in zip(values, times) {
        products += (time - middle) * (value - mean)
        squares += (time - middle) * (time - middle)
      }
      if squares > 0 { slope = products / squares }
    }
    let rest = zip(values, times).map { $0 - mean - slope * ($1 - middle) }
    let squares = rest.reduce(0) { $0 + $1 * $1 }
    let rounding = 1e-12 * abs(mean)
    return squares > count * rounding * rounding ? rest : Array(repeating: 0, count: values.count)
  }
}
