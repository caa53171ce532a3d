/// The form in which a block stores the UUID of a sample. UUIDs that can be computed from the sample are not
/// stored. Every UUID is restored exactly.
package enum PackedIdentity: Hashable, Sendable {
  /// The UUID is computed from the sample. `occurrence` numbers equal samples of the same monitor with the
  /// same time, from 0.
  case derived(occurrence: UInt32)
  /// A UUID of RFC 9562 version 8 that contains the millisecond in which the sample ends, and a hash. Only
  /// the hash is stored, in parts of 12 and 62 bits.
  case hashed(high: UInt16, low: UInt64)
  /// Any other UUID, as two 64-bit words. The first byte of the UUID is the most significant byte of `high`.
  case whole(high: UInt64, low: UInt64)

  static let greatestHigh: UInt16 = 0x0FFF
  static let greatestLow: UInt64 = 1 << 62 - 1
  private static let version8: UInt64 = 0x8000
  private static let variant: UInt64 = 1 << 63

  /// Creates the shortest form of a UUID that cannot be computed from the sample.
  ///
  /// - Parameters:
  ///   - high: The first eight bytes; the first one is the most significant.
  ///   - end: The end of the sample in microseconds since 1970.
  package init(high: UInt64, low: UInt64, end: Int64) {
    self =
      high & ~UInt64(Self.greatestHigh) == Self.milliseconds(end) | Self.version8
        && low & ~Self.greatestLow == Self.variant
      ? .hashed(high: UInt16(high & UInt64(Self.greatestHigh)), low: low & Self.greatestLow)
      : .whole(high: high, low: low)
  }

  /// Returns the UUID as two words, as for `init(high:low:end:)`; `nil` if it has to be computed from the
  /// sample.
  ///
  /// - Parameter end: The end of the sample in microseconds since 1970.
  package func words(end: Int64) -> (high: UInt64, low: UInt64)? {
    switch self {
    case .derived: nil
    case .hashed(let high, let low):
      (Self.milliseconds(end) | Self.version8 | UInt64(high), Self.variant | low)
    case .whole(let high, let low): (high, low)
    }
  }

  /// Returns the part of a UUID of version 8 that contains the time, in milliseconds.
  private static func milliseconds(_ time: Int64) -> UInt64 { (UInt64(bitPattern: time) / 1000) << 16 }
}
