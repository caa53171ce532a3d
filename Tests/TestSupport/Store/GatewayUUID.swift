import Foundation

/// Returns a UUID like one that a gateway gives to a sample: version 8, containing the sample's end.
///
/// - Parameter end: Microseconds since 1970.
func gatewayUUID(end: Int64, _ generator: inout some RandomNumberGenerator) -> UUID {
  let high = UInt64(end / 1000) << 16 | 0x8000 | generator.next() & 0x0FFF
  let low = 1 << 63 | generator.next() & (1 << 62 - 1)
  return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
    UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
  }
}
