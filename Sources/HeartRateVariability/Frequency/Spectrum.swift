/// A power spectral density at equally spaced frequencies.
public struct Spectrum: Hashable, Sendable {
  /// The first frequency, in hertz.
  public let first: Double
  /// From one frequency to the next, in hertz.
  public let spacing: Double
  /// In ms²/Hz. The integral over all positive frequencies is the variance of the intervals.
  public let densities: [Double]

  /// Hertz.
  public func frequency(at index: Int) -> Double { first + Double(index) * spacing }

  /// The power in a band, in ms²: the sum of the densities in it, times the spacing. The powers of bands that
  /// touch so add up to that of both together.
  public func power(in band: FrequencyBand) -> Double {
    var sum = 0.0
    for (index, density) in densities.enumerated() where band.contains(frequency(at: index)) {
      sum += density
    }
    return sum * spacing
  }
}
