import Foundation
import HealthKit
import HealthStorage

/// Derives the UUID of a sample and the bundle identifier of its source, because exports contain neither. The
/// same record gets the same identity in every export from the same phone.
///
/// The UUID has version 8 (RFC 9562): 48 bits of Unix milliseconds of the start, then 74 bits of SHA-256 over
/// `type ‖ 0 ‖ source's name ‖ 0 ‖ start ‖ end ‖ content`, times in µs, 64 bits big-endian. It excludes data
/// that may differ between exports of the same sample: versions, devices and metadata.
struct RecordIdentity {
  private var message: [UInt8] = []

  /// Returns the UUID of a sample.
  /// - Parameter content: The value: that of a quantity in the type's canonical unit, or the number of a
  ///   category.
  mutating func uuid(
    type: String, source: String, start: Int64, end: Int64, content: some Sequence<UInt8>
  ) -> UUID {
    message.removeAll(keepingCapacity: true)
    message.append(contentsOf: type.utf8)
    message.append(0)
    message.append(contentsOf: source.utf8)
    message.append(0)
    append(start)
    append(end)
    message.append(contentsOf: content)
    return Self.withDigest(of: message) { digest in
      let milliseconds = UInt64(bitPattern: start) / 1000
      let high = digest.loadUnaligned(as: UInt16.self).bigEndian
      let low = digest.loadUnaligned(fromByteOffset: 2, as: UInt64.self).bigEndian
      let bits = (
        (milliseconds << 16 | 0x8000 | UInt64(high & 0x0FFF)).bigEndian,
        (1 << 63 | low & (1 << 62 - 1)).bigEndian
      )
      return withUnsafeBytes(of: bits) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
  }

  private mutating func append(_ number: Int64) {
    withUnsafeBytes(of: number.bigEndian) { message.append(contentsOf: $0) }
  }

  /// Returns the bundle identifier of a source: the ASCII letters and digits of its name, and four bytes of
  /// the name's SHA-256. The hash is needed because two names may have the same ASCII letters and digits.
  static func bundleIdentifier(ofSource name: String) -> String {
    let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
    let hash = withDigest(of: Array(name.utf8)) { digest in
      digest.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    return "\(sourcePrefix)\(words.isEmpty ? "" : words + ".")\(hash)"
  }

  /// Prefix of derived bundle identifiers.
  static let sourcePrefix = "org.hrgate.apple-health."

  private static func withDigest<Result>(
    of message: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    message.withUnsafeBytes { SHA256.withDigest(of: $0, body) }
  }

  // MARK: - Contents

  static func content(_ quantity: HKQuantity, of type: HKQuantityType) -> [UInt8] {
    bytes(quantity.doubleValue(for: type.canonicalUnit).bitPattern)
  }

  static func content(_ number: Int) -> [UInt8] { bytes(UInt64(bitPattern: Int64(number))) }

  /// Returns the part of a beat list that the UUID of its series is derived from: the number of entries.
  static func content(listOf count: Int) -> [UInt8] { Array("list".utf8) + content(count) }

  /// Returns the part of a correlation that its UUID is derived from: the UUIDs of its members.
  static func content(_ members: some Sequence<HKSample>) -> [UInt8] {
    members.map(\.uuid.uuidString).sorted().flatMap(\.utf8)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }
}
