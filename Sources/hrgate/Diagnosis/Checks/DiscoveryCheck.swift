/// Checks for a discovery that never ends. It uses radio time, so connections are slow or fail.
enum DiscoveryCheck {
  private static let name = "discovery"

  static func findings(_ bluetooth: BluetoothFacts) -> [Finding] {
    guard bluetooth.access == .answering else { return [] }
    let stuck = bluetooth.adapters.filter(\.isDiscoveringForGood)
    if stuck.isEmpty { return [Finding(name, .ok, "no endless discovery")] }
    return stuck.map { adapter in
      Finding(
        name, of: adapter.name, .warn, "a discovery does not end",
        advice: "Close the program that scans (bluetoothctl scan on, the desktop's settings), or end it: "
          + "systemctl restart bluetooth")
    }
  }
}
