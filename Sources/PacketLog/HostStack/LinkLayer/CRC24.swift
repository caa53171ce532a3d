import Bluetooth

/// The CRC of the link layer (Core Specification, Vol 6, Part B, §3.1.1): x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x +
/// 1, least significant bit first.
enum CRC24 {
  /// The polynomial with its bits reversed, because the least significant bit is sent first.
  private static let polynomial: UInt32 = 0xDA6000

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
  }

  /// - Parameter start: The initial value as written in the specification, with the most significant bit in
  ///   position 23.
  /// - Returns: The CRC. Its lowest byte is sent first.
  static func checksum(_ bytes: RawSpan, from start: UInt32) -> UInt32 {
    var value = reversed(start)
    for offset in 0..<bytes.byteCount {
      let byte = UInt32(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      value = value >> 8 ^ table[Int((value ^ byte) & 0xFF)]
    }
    return value
  }

  private static func reversed(_ value: UInt32) -> UInt32 {
    (0..<24).reduce(UInt32(0)) { $0 | (value >> UInt32($1) & 1) << UInt32(23 - $1) }
  }
}
