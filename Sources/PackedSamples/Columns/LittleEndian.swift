/// The encoding of 64-bit words with the least significant byte first.
package enum LittleEndian {
  @inlinable package static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  /// Reads a word at `position` and advances it. Returns `nil` if fewer than eight bytes are left.
  @inlinable package static func read(_ bytes: [UInt8], at position: inout Int) -> UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    defer { position += 8 }
    return (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
  }
}
