/// Whether a monitor's battery will last.
enum BatteryCheck {
  private static let name = "battery"
  /// Percent. A button cell gives in soon after it is told to be low.
  private static let low = 20

  static func findings(_ monitor: EnrolmentFacts) -> [Finding] {
    guard let battery = monitor.battery else { return [] }
    guard battery <= low else { return [Finding(name, of: monitor.subject, .ok, "\(battery) %")] }
    return [
      Finding(
        name, of: monitor.subject, .warn, "\(battery) %",
        advice: "Change or charge it: a weak battery first shows as links that end.")
    ]
  }
}
