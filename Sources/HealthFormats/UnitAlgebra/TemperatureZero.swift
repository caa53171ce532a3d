/// The distance of the zero of a temperature scale from absolute zero, in hundredths of a degree of that
/// scale: 273.15 for °C, 459.67 for °F.
struct TemperatureZero: Hashable, Sendable {
  var hundredths: Int

  static let absolute = TemperatureZero(hundredths: 0)
}
