/// LEB128 encoding of unsigned integers: groups of seven bits, least significant first (DWARF 5, §7.6).
package enum LEB128 {
  @inlinable package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Reads a number at `position` and advances it. Returns `nil` if it is incomplete or larger than 64 bits.
  @inlinable package static func read(_ bytes: [UInt8], at position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      let group = UInt64(byte & 0x7F)
      guard shift < 63 || (shift == 63 && group <= 1) else { return nil }
      value |= group << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
    return nil
  }

  /// Returns the size in bytes of a number with `bits` significant bits.
  static func size(ofBits bits: Int) -> Int { max(1, (bits + 6) / 7) }
}
