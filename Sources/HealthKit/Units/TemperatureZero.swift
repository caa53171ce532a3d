/// How far the zero of a temperature scale lies from absolute zero, in degrees of that scale and whole hundredths:
/// 273.15 for °C, 459.67 for °F.
struct TemperatureZero: Hashable, Sendable {
  var hundredths: Int

  static let absolute = TemperatureZero(hundredths: 0)

  /// What to add to a temperature after scaling it by `ratio`, to read it on the other scale.
  ///
  /// Worked out in whole numbers, so that 0 °C is 32 °F and not 31.999….
  func shift(scaledBy ratio: ExactRatio, to other: TemperatureZero) -> Double {
    let numerator = Double(ratio.numerator)
    let denominator = Double(ratio.denominator)
    return (Double(hundredths) * numerator - Double(other.hundredths) * denominator) / (denominator * 100)
  }
}
