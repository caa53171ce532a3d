/// Unsigned numbers, most significant byte first.
enum BigEndian {
  /// The number that up to eight bytes hold.
  static func read(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  /// Appends the last `width` bytes of a number.
  static func append(_ value: Int, width: Int, to bytes: inout [UInt8]) {
    for shift in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
  }

  /// The fewest of 1, 2, 4 and 8 bytes that hold a number.
  static func width(of value: Int) -> Int {
    switch value {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }
}
