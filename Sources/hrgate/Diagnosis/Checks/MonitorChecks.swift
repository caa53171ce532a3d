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

/// Checks whether bluetoothd still has the bond of an enrolled monitor.
enum BondCheck {
  private static let name = "bond"

  static func findings(_ monitor: EnrolmentFacts, _ bluetooth: BluetoothFacts) -> [Finding] {
    guard monitor.isBonded, bluetooth.access == .answering else { return [] }
    if bluetooth.bonds.contains(monitor.address) {
      return [Finding(name, of: monitor.subject, .ok, "bonded")]
    }
    return [
      Finding(
        name, of: monitor.subject, .fail, "bluetoothd no longer has the bond",
        advice: "Pair it again: hrgate pair \(monitor.address)")
    ]
  }
}

/// Checks how long ago a monitor was last seen.
enum LastSeenCheck {
  private static let name = "last-seen"
  private static let day = 86_400.0
  private static let long = 7 * day

  static func findings(_ monitor: EnrolmentFacts, _ clock: ClockFacts) -> [Finding] {
    let advice =
      "Wear it, close by. A monitor that is connected to a phone or a watch does not advertise: end that connection"
      + (monitor.name?.contains("H10") == true
        ? ", or allow two connections: in the app Polar Beat or Polar Flow, in the settings of the H10, two receivers (dual Bluetooth)."
        : ", or allow two connections, if the manufacturer's app has that setting.")
    guard let seen = monitor.lastSeen else {
      return [Finding(name, of: monitor.subject, .warn, "never since it was paired", advice: advice)]
    }
    let age = max(0, clock.now - seen)
    guard age > long else {
      return [Finding(name, of: monitor.subject, .ok, age < day ? "today" : "\(Int(age / day)) d ago")]
    }
    return [Finding(name, of: monitor.subject, .warn, "\(Int(age / day)) d ago", advice: advice)]
  }
}
