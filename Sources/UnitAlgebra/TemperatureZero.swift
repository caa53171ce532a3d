import Foundation

/// How far the zero of a temperature scale lies from absolute zero, in degrees of that scale and whole
/// hundredths: 273.15 for °C, 459.67 for °F.
struct TemperatureZero: Hashable, Sendable {
  var hundredths: Int

  static let absolute = TemperatureZero(hundredths: 0)

  /// A temperature of this scale on another one.
  /// - Parameter ratio: of this scale's degree to the other's.
  ///
  /// `(value + own zero) · ratio - other zero`, over one denominator: the zeros are whole numbers then, and
  /// nothing is lost where they cancel. 32 °F is 0 °C, and not some 10⁻¹⁴ of it.
  func convert(_ value: Double, ratio: ExactRatio, to other: TemperatureZero) -> Double {
    let numerator = Double(ratio.numerator)
    let denominator = Double(ratio.denominator)
    let shift = Double(hundredths) * numerator - Double(other.hundredths) * denominator
    return fma(value, numerator * 100, shift) / (denominator * 100)
  }
}
