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
