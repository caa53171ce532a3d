/// How a block keeps the UUID of a sample. Packing changes no UUID: what does not follow from something else
/// is kept.
package enum PackedIdentity: Hashable, Sendable {
  /// It follows from what the sample says, and from how many of its source came before it that say the same
  /// at the same time.
  case derived(occurrence: UInt32)
  /// Of RFC 9562 version 8 with the millisecond in which the sample ends: 12 and 62 bits of a hash are left.
  case hashed(high: UInt16, low: UInt64)
  /// Any other, as two words: the first eight bytes with the first as the most significant, and the others.
  case whole(high: UInt64, low: UInt64)

  static let greatestHigh: UInt16 = 0x0FFF
  static let greatestLow: UInt64 = 1 << 62 - 1
  private static let version8: UInt64 = 0x8000
  private static let variant: UInt64 = 1 << 63

  /// As little of a UUID that does not follow from the sample as will do.
  /// - Parameters:
  ///   - high: the first eight bytes, the first as the most significant.
  ///   - end: of the sample, in microseconds since 1970.
  package init(high: UInt64, low: UInt64, end: Int64) {
    self =
      high & ~UInt64(Self.greatestHigh) == Self.milliseconds(end) | Self.version8
        && low & ~Self.greatestLow == Self.variant
      ? .hashed(high: UInt16(high & UInt64(Self.greatestHigh)), low: low & Self.greatestLow)
      : .whole(high: high, low: low)
  }

  /// The UUID as `init(high:low:end:)` takes it; nil if it is derived.
  /// - Parameter end: of the sample, in microseconds since 1970.
  package func words(end: Int64) -> (high: UInt64, low: UInt64)? {
    switch self {
    case .derived: nil
    case .hashed(let high, let low):
      (Self.milliseconds(end) | Self.version8 | UInt64(high), Self.variant | low)
    case .whole(let high, let low): (high, low)
    }
  }

  /// As the gateway has always placed them in identities.
  private static func milliseconds(_ time: Int64) -> UInt64 { (UInt64(bitPattern: time) / 1000) << 16 }
}
