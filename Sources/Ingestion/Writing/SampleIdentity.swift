import Bluetooth
import Crypto
import Foundation

/// Derives a sample's UUID from what was measured, so that the same frame is the same sample whenever and
/// from whichever source it is read again.
///
/// RFC 9562 version 8, in order of time so that the store's index grows at its end: 48 bits of Unix
/// milliseconds of the receipt, then 74 bits of SHA-256 over `kind ‖ 0 ‖ monitor's address as text ‖ 0 ‖
/// receipt time in µs, 64 bits big-endian ‖ content`, and for the second and each further equal content at
/// one time its number from 1 on, 32 bits little-endian.
///
/// A heart rate's content is its value, so that its identity follows from what a sample says and need not be
/// kept beside it.
struct SampleIdentity {
  enum Kind: UInt8, CaseIterable {
    /// By the frame, as earlier versions identified a heart rate. A store may be full of them: whoever stores
    /// one asks for this identity too.
    case heartRateFrame = 1
    case energy = 2
    case beats = 3
    case heartRate = 4

    fileprivate var place: Int { Int(rawValue) - 1 }
  }

  /// What is hashed: for one sample after another in the same room, up to the time the same octets.
  private var message: [UInt8]
  private let prefixCount: Int
  /// By kind: those of one kind come in the order of their times.
  private var occurrences = Kind.allCases.map { _ in Occurrences() }

  init(monitor address: String) {
    message = [0, 0] + Array(address.utf8) + [0]
    prefixCount = message.count
  }

  /// A heart rate in beats per minute, as the 64 bits of a `Double`, big-endian.
  mutating func uuid(ofHeartRate value: UInt16, at time: ReceiptTime) -> UUID {
    withUnsafeBytes(of: Double(value).bitPattern.bigEndian) { uuid(.heartRate, at: time, octets: $0) }
  }

  mutating func uuid(_ kind: Kind, at time: ReceiptTime, _ content: RawSpan) -> UUID {
    content.withUnsafeBytes { uuid(kind, at: time, octets: $0) }
  }

  private mutating func uuid(
    _ kind: Kind, at time: ReceiptTime, octets content: UnsafeRawBufferPointer
  ) -> UUID {
    message[0] = kind.rawValue
    withUnsafeBytes(of: time.microsecondsSince1970.bigEndian) { message.append(contentsOf: $0) }
    message.append(contentsOf: content)
    defer { message.removeSubrange(prefixCount...) }
    let uuid = hashed(time)
    let number = occurrences[kind.place].count(uuid, at: time)
    guard number > 0 else { return uuid }
    withUnsafeBytes(of: number.littleEndian) { message.append(contentsOf: $0) }
    return hashed(time)
  }

  private func hashed(_ time: ReceiptTime) -> UUID {
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

/// How often each identity came at the time of the last one.
private struct Occurrences {
  /// More equal times than this come from no clock at all, and equal content is then taken for one.
  private static let capacity = 65_536

  private var time: ReceiptTime?
  private var last: UUID?
  private var counts: [UUID: UInt32] = [:]

  /// - Returns: How often it came before at this time.
  mutating func count(_ uuid: UUID, at time: ReceiptTime) -> UInt32 {
    if self.time != time {
      self.time = time
      last = uuid
      if !counts.isEmpty { counts.removeAll() }
      return 0
    }
    // The table is needed only where a second one comes at the same time.
    if let last, counts.isEmpty { counts[last] = 1 }
    guard counts.count < Self.capacity else { return 0 }
    let number = counts[uuid, default: 0]
    counts[uuid] = number + 1
    return number
  }
}
