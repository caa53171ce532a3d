/// Checks for a discovery that never ends. It uses radio time, so connections are slow or fail.
enum DiscoveryCheck {
  private static let name = "discovery"

  static func findings(_ bluetooth: BluetoothFacts) -> [Finding] {
    guard bluetooth.access == .answering else { return [] }
    let stuck = bluetooth.adapters.filter(\.isDiscoveringForGood)
    if stuck.isEmpty { return [Finding(name, .ok, "none goes on for good")] }
    return stuck.map { adapter in
      Finding(
        name, of: adapter.name, .warn, "a discovery does not end",
        advice: "Close what looks for devices (bluetoothctl scan on, settings of the desktop), or end it: "
          + "systemctl restart bluetooth")
    }
  }
}
