import Foundation

extension UUID {
  /// A new UUID of version 7 (RFC 9562 §5.7, §6.2 method 3): the time to a 4096th of a millisecond first, so
  /// that what is saved together lies together in the index, then 62 random bits.
  static func timeOrdered() -> UUID {
    let ticks = UInt64(max(0, Date().timeIntervalSince1970 * 1000 * 4096))
    let high = (ticks >> 12) << 16 | 0x7000 | ticks & 0x0FFF
    let low = 0x8000_0000_0000_0000 | RandomBits.next() & 0x3FFF_FFFF_FFFF_FFFF
    return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
  }
}
