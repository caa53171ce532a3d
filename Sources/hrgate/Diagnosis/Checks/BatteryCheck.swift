/// Checks whether a monitor's battery is low.
enum BatteryCheck {
  private static let name = "battery"
  /// Threshold in percent. A button cell fails soon after it reports a low level.
  private static let low = 20

  static func findings(_ monitor: EnrolmentFacts) -> [Finding] {
    guard let battery = monitor.battery else { return [] }
    guard battery <= low else { return [Finding(name, of: monitor.subject, .ok, "\(battery) %")] }
    return [
      Finding(
        name, of: monitor.subject, .warn, "\(battery) %",
        advice: "Replace or charge it: a weak battery first causes lost links.")
    ]
  }
}
