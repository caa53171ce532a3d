/// Checks whether bluetoothd runs and responds, and whether its version has a known bug.
enum DaemonCheck {
  private static let name = "bluetoothd"

  /// Known bugs by version, with advice.
  private static let faults: [(versions: ClosedRange<Version>, text: String, advice: String)] = [
    (Version(5, 64)...Version(5, 64), "loses measurements and stops sending notifications", upgrade),
    (
      Version(5, 69)...Version(5, 77), "does not connect automatically to a monitor that was just paired",
      "No action needed: the gateway connects itself. A newer BlueZ is better."
    ),
    (Version(5, 78)...Version(5, 78), "finds no devices with Realtek adapters (RTL8761)", upgrade),
    (
      Version(5, 83)...Version(5, 83),
      "crashes if a program acquires notifications (AcquireNotify)",
      upgrade
    ),
    (
      Version(5, 87)...Version(5, 87), "crashes when any program scans for services by UUID",
      "Install a newer BlueZ, or enable automatic restart: sudo systemctl edit bluetooth, and below [Service] Restart=on-failure"
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
        name, .warn, "systemd does not restart it after a crash (Restart=no)",
        advice:
          "Enable it: sudo systemctl edit bluetooth, and below [Service] Restart=on-failure; or use bluetooth-restart.conf from /usr/share/doc/hrgate/examples"
      )
    ]
  }

  private static func state(_ bluetooth: BluetoothFacts) -> [Finding] {
    switch bluetooth.access {
    case .daemonAbsent:
      return [
        Finding(
          name, .fail, "it is not running",
          advice: "Install it (apt install bluez) and start it: systemctl enable --now bluetooth")
      ]
    case .notAnswering:
      return [
        Finding(name, .fail, "it does not answer", advice: "Restart it: systemctl restart bluetooth")
      ]
    case .busAbsent, .userRefused, .notPermitted, .refused:
      // BusCheck reports the reason.
      return []
    case .answering: break
    }
    guard let version = bluetooth.version else { return [Finding(name, .ok, "it answers")] }
    let found = faults.filter { $0.versions.contains(version) }
    if found.isEmpty { return [Finding(name, .ok, "\(version) answers")] }
    return found.map { Finding(name, .warn, "\(version) \($0.text)", advice: $0.advice) }
  }
}
