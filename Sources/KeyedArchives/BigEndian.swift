/// Unsigned numbers, most significant byte first.
enum BigEndian {
  /// The number that up to eight bytes hold.
  static func read(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }
}
