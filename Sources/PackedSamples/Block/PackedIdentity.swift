/// The form in which a block stores the UUID of a sample. Packing never changes a UUID, so parts that cannot
/// be derived are stored.
package enum PackedIdentity: Hashable, Sendable {
  /// The UUID is derived from the sample and the number of equal samples of the same source and time before
  /// it.
  case derived(occurrence: UInt32)
  /// RFC 9562 version 8 with the millisecond in which the sample ends. 12 and 62 bits of a hash are stored.
  case hashed(high: UInt16, low: UInt64)
  /// Any other UUID, as two words. The first byte is the most significant of `high`.
  case whole(high: UInt64, low: UInt64)

  static let greatestHigh: UInt16 = 0x0FFF
  static let greatestLow: UInt64 = 1 << 62 - 1
  private static let version8: UInt64 = 0x8000
  private static let variant: UInt64 = 1 << 63

  /// Creates the shortest form of a UUID that cannot be derived.
  ///
  /// - Parameters:
  ///   - high: The first eight bytes, the first as the most significant.
  ///   - end: The end of the sample in microseconds since 1970.
  package init(high: UInt64, low: UInt64, end: Int64) {
    self =
      high & ~UInt64(Self.greatestHigh) == Self.milliseconds(end) | Self.version8
        && low & ~Self.greatestLow == Self.variant
      ? .hashed(high: UInt16(high & UInt64(Self.greatestHigh)), low: low & Self.greatestLow)
      : .whole(high: high, low: low)
  }

  /// Returns the UUID in the form of `init(high:low:end:)`, or nil if it is derived.
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

  /// Returns the millisecond field of a gateway UUID.
  private static func milliseconds(_ time: Int64) -> UInt64 { (UInt64(bitPattern: time) / 1000) << 16 }
}
