/// A UUID of the Attribute Protocol: 128 bits, with a 16-bit or 32-bit form for assigned numbers.
///
/// A short UUID equals its expansion with the Bluetooth Base UUID (Core Specification, Vol 3, Part B,
/// §2.5.1).
public struct BluetoothUUID: Hashable, Sendable {
  /// The upper 64 bits of the 128-bit form.
  public let high: UInt64
  /// The lower 64 bits of the 128-bit form.
  public let low: UInt64

  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB
  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Expands an assigned number with the Bluetooth Base UUID.
  public init(_ assigned: UInt16) {
    self.init(high: UInt64(assigned) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// Decodes a UUID of 2 or 16 bytes as in ATT, least significant byte first.
  ///
  /// - Returns: `nil` for any other length. ATT does not have a 32-bit form (Vol 3, Part F, §3.2.1).
  public init?(littleEndian bytes: RawSpan) {
    switch bytes.byteCount {
    case 2:
      guard let short = bytes.uint16LE(at: 0) else { return nil }
      self.init(short)
    case 16:
      guard let low = bytes.uint64LE(at: 0), let high = bytes.uint64LE(at: 8) else { return nil }
      self.init(high: high, low: low)
    default:
      return nil
    }
  }

  /// Parses 4 or 8 hexadecimal digits, or the 36 characters of a full UUID, in upper or lower case.
  public init?(_ text: String) {
    let characters = Array(text.utf8)
    switch characters.count {
    case 4, 8:
      guard let number = UInt32(hexadecimal: characters[...]) else { return nil }
      self.init(high: UInt64(number) << 32 | Self.baseHigh, low: Self.baseLow)
    case 36:
      let dash = UInt8(ascii: "-")
      guard [8, 13, 18, 23].allSatisfy({ characters[$0] == dash }) else { return nil }
      let digits = characters.filter { $0 != dash }
      guard digits.count == 32, let high = UInt64(hexadecimal: digits[..<16]),
        let low = UInt64(hexadecimal: digits[16...])
      else { return nil }
      self.init(high: high, low: low)
    default:
      return nil
    }
  }

  /// The 16-bit form; `nil` if the UUID has none.
  public var assignedNumber: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh, high >> 48 == 0 else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The 16-bit form, such as `2a37`, or otherwise the 36 characters of the full form, in lower case as in
  /// BlueZ.
  public var description: String {
    if let assigned = assignedNumber {
      return [UInt8(assigned >> 8), UInt8(truncatingIfNeeded: assigned)].hexadecimal
    }
    return fullForm
  }

  /// The 36 characters of the full form, in lower case.
  public var fullForm: String {
    let digits = Array((high.bigEndianBytes + low.bigEndianBytes).hexadecimal)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }
  }
}

extension FixedWidthInteger {
  /// Parses hexadecimal digits. Unlike `init(_:radix:)`, it does not accept a sign.
  fileprivate init?(hexadecimal digits: ArraySlice<UInt8>) {
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
      let value = Self(text, radix: 16)
    else {
      return nil
    }
    self = value
  }
}
