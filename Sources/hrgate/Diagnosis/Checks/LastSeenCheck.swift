/// Checks how long ago a monitor was last seen.
enum LastSeenCheck {
  private static let name = "last-seen"
  private static let day = 86_400.0
  private static let long = 7 * day

  static func findings(_ monitor: EnrolmentFacts, _ clock: ClockFacts) -> [Finding] {
    let advice =
      "Wear it, close by. One that is connected to a phone or a watch is not heard: end that connection"
      + (monitor.name?.contains("H10") == true
        ? ", or allow it two: in the app Polar Beat or Polar Flow, among the settings of the H10, two receivers (dual Bluetooth)."
        : ", or allow it two, where its maker's app has that among its settings.")
    guard let seen = monitor.lastSeen else {
      return [Finding(name, of: monitor.subject, .warn, "never since it was enrolled", advice: advice)]
    }
    let age = max(0, clock.now - seen)
    guard age > long else {
      return [Finding(name, of: monitor.subject, .ok, age < day ? "today" : "\(Int(age / day)) d ago")]
    }
    return [Finding(name, of: monitor.subject, .warn, "\(Int(age / day)) d ago", advice: advice)]
  }
}
