import Bluetooth
import Crypto
import Foundation

/// Derives a sample's UUID from what was measured, so that the same frame is the same sample whenever and from
/// whichever source it is read again.
///
/// RFC 9562 version 8, in order of time so that the store's index grows at its end: 48 bits of Unix milliseconds of
/// the receipt, then 74 bits of SHA-256 over
/// `kind ‖ 0 ‖ monitor's address as text ‖ 0 ‖ receipt time in µs, 64 bits big-endian ‖ content`.
struct SampleIdentity {
  enum Kind: UInt8 {
    case heartRate = 1
    case energy = 2
    case beats = 3
  }

  /// What is hashed: for one sample after another in the same room, up to the time the same octets.
  private var message: [UInt8]
  private let prefixCount: Int

  init(monitor address: String) {
    message = [0, 0] + Array(address.utf8) + [0]
    prefixCount = message.count
  }

  mutating func uuid(_ kind: Kind, at time: ReceiptTime, _ content: RawSpan) -> UUID {
    message[0] = kind.rawValue
    withUnsafeBytes(of: time.microsecondsSince1970.bigEndian) { message.append(contentsOf: $0) }
    content.withUnsafeBytes { message.append(contentsOf: $0) }
    defer { message.removeSubrange(prefixCount...) }
    var hash = SHA256()
    message.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize().withUnsafeBytes { Self.uuid(time, $0) }
  }

  private static func uuid(_ time: ReceiptTime, _ digest: UnsafeRawBufferPointer) -> UUID {
    let milliseconds = UInt64(bitPattern: time.microsecondsSince1970) / 1000
    let high = digest.loadUnaligned(as: UInt16.self).bigEndian
    let low = digest.loadUnaligned(fromByteOffset: 2, as: UInt64.self).bigEndian
    let bits: (UInt64, UInt64) = (
      milliseconds << 16 | 0x8000 | UInt64(high & 0x0FFF), 1 << 63 | low & (1 << 62 - 1)
    )
    return withUnsafeBytes(of: (bits.0.bigEndian, bits.1.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
