/// Appends little- and big-endian integers to a growing array. The corresponding reading methods are in
/// `RawSpan`.
public struct ByteWriter: Sendable {
  /// The bytes appended so far.
  public private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: The expected number of bytes, which may be exceeded.
  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Appends one byte.
  public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends bytes in the given order.
  public mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Appends an integer, least significant byte first, as in Bluetooth.
  public mutating func appendLE<Integer: FixedWidthInteger>(_ value: Integer) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends an integer, most significant byte first.
  public mutating func appendBE<Integer: FixedWidthInteger>(_ value: Integer) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends the six bytes of an address, least significant first, as in HCI.
  public mutating func append(_ address: BluetoothAddress) {
    for shift in stride(from: 0, to: 48, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: address.bits >> UInt64(shift)))
    }
  }

  /// Appends a UUID in ATT's byte order, in its short form if it has one.
  public mutating func append(_ uuid: BluetoothUUID) {
    if let short = uuid.assignedNumber {
      appendLE(short)
    } else {
      appendLE(uuid.low)
      appendLE(uuid.high)
    }
  }
}
