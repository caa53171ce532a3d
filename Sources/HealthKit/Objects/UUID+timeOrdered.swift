import Foundation

extension UUID {
  /// A new UUID of version 7 (RFC 9562 §5.7): milliseconds first, so that what is saved together lies together in
  /// the index, then 74 random bits.
  static func timeOrdered() -> UUID {
    var generator = SystemRandomNumberGenerator()
    let milliseconds = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
    let low = 0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
    return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
  }
}
