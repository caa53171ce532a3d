/// Whether a discovery never ends: it takes the radio's time, and connections come about late or not at all.
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
