import Bluetooth

/// The result of a scan as a table.
enum SeenTable {
  static func lines(_ seen: [SeenPeripheral]) -> [String] {
    guard !seen.isEmpty else { return [] }
    let rows = seen.map { peripheral in
      [
        peripheral.address.description, peripheral.address.kind.name,
        peripheral.rssi.map { "\($0) dBm" } ?? "", (peripheral.name ?? "").plain, notes(peripheral),
      ]
    }
    return TextTable.lines([["ADDRESS", "TYPE", "RSSI", "NAME", ""]] + rows)
  }

  private static func notes(_ peripheral: SeenPeripheral) -> String {
    var notes: [String] = []
    if peripheral.hasHeartRateService {
      notes.append("heart rate")
    } else if peripheral.looksLikeHeartRateSensor {
      notes.append("heart-rate sensor")
    }
    if peripheral.isEnrolled { notes.append("enrolled") }
    if peripheral.address.isPrivate { notes.append(privacy(of: peripheral.address)) }
    if peripheral.isPaired { notes.append("paired") }
    if peripheral.isConnected { notes.append("connected") }
    return notes.joined(separator: ", ")
  }

  /// A private address identifies the device only until it changes; a bond is needed to recognize it after
  /// that.
  private static func privacy(of address: BluetoothAddress) -> String {
    address.subtype == .resolvablePrivate ? "private address" : "private address, not resolvable"
  }
}
