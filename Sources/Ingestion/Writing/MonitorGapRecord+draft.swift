package import Bluetooth
package import HealthStorage

// Conversions between gaps and Bluetooth addresses and their database records.

extension MonitorGapRecord {
  init(_ gap: GapDraft, of monitor: BluetoothAddress) {
    self.init(
      monitor: AddressRecord(monitor), start: gap.start.microsecondsSince1970,
      end: gap.end?.microsecondsSince1970, cause: gap.cause.rawValue, lost: gap.lost)
  }
}

extension GapDraft {
  /// Creates a gap from a record. A cause unknown to this version is read as ``GapCause/unknown``.
  package init(_ record: MonitorGapRecord) {
    self.init(
      start: ReceiptTime(microsecondsSince1970: record.start),
      end: record.end.map(ReceiptTime.init(microsecondsSince1970:)),
      cause: GapCause(rawValue: record.cause) ?? .unknown, lost: record.lost)
  }
}

extension AddressRecord {
  package init(_ address: BluetoothAddress) {
    self.init(text: address.description, kind: Int(address.kind.rawValue))
  }
}

extension BluetoothAddress {
  /// - Returns: `nil` if this version does not know the address type.
  package init?(_ record: AddressRecord) {
    guard let number = UInt8(exactly: record.kind), let kind = Kind(rawValue: number) else { return nil }
    self.init(record.text, kind: kind)
  }
}
