/// Checks whether bluetoothd runs and responds, and whether its version has a known bug.
enum DaemonCheck {
  private static let name = "bluetoothd"

  /// Known bugs by version, with advice.
  private static let faults: [(versions: ClosedRange<Version>, text: String, advice: String)] = [
    (Version(5, 64)...Version(5, 64), "loses measurements and stops telling them", upgrade),
    (
      Version(5, 69)...Version(5, 77), "does not connect by itself to a monitor that was just paired",
      "Nothing has to be done, as the gateway connects by itself; a newer BlueZ is better."
    ),
    (Version(5, 78)...Version(5, 78), "finds nothing with adapters of Realtek (RTL8761)", upgrade),
    (
      Version(5, 83)...Version(5, 83),
      "crashes where a program takes notifications for itself (AcquireNotify)",
      upgrade
    ),
    (
      Version(5, 87)...Version(5, 87), "crashes when any program scans for services by their UUIDs",
      "Install a newer BlueZ, or have it started again: sudo systemctl edit bluetooth, and below [Service] Restart=on-failure"
    ),
  ]
  private static let upgrade = "Install another version of BlueZ."

  static func findings(_ bluetooth: BluetoothFacts) -> [Finding] {
    state(bluetooth) + restart(bluetooth)
  }

  /// Reports a unit without automatic restart, as in Debian. After a crash, monitors are followed again only
  /// when a user starts bluetoothd.
  private static func restart(_ bluetooth: BluetoothFacts) -> [Finding] {
    guard bluetooth.restart == "no" else { return [] }
    return [
      Finding(
        name, .warn, "where it crashes, systemd does not start it anew (Restart=no)",
        advice:
          "Have it do so: sudo systemctl edit bluetooth, and below [Service] Restart=on-failure; or take bluetooth-restart.conf of /usr/share/doc/hrgate/examples"
      )
    ]
  }

  private static func state(_ bluetooth: BluetoothFacts) -> [Finding] {
    switch bluetooth.access {
    case .daemonAbsent:
      return [
        Finding(
          name, .fail, "it does not run",
          advice: "Install it (apt install bluez) and start it: systemctl enable --now bluetooth")
      ]
    case .notAnswering:
      return [
        Finding(name, .fail, "it does not answer", advice: "Start it anew: systemctl restart bluetooth")
      ]
    case .busAbsent, .userRefused, .notPermitted, .refused:
      // Another check reports the reason.
      return []
    case .answering: break
    }
    guard let version = bluetooth.version else { return [Finding(name, .ok, "it answers")] }
    let found = faults.filter { $0.versions.contains(version) }
    if found.isEmpty { return [Finding(name, .ok, "\(version) answers")] }
    return found.map { Finding(name, .warn, "\(version) \($0.text)", advice: $0.advice) }
  }
}
