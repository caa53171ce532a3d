/// Computes the UUID of a monitor's sample from the content of the sample.
///
/// It is a UUID of RFC 9562 version 8. It starts with the time, so that the store's index grows at its end:
/// 48 bits of Unix milliseconds, then 74 bits of SHA-256 over `kind ‖ 0 ‖ monitor's address as text ‖ 0 ‖
/// time in µs, 64 bits big-endian ‖ content`. If several samples have the same time and content, a number is
/// appended from the second on (from 1, 32 bits little-endian).
package struct MeasuredIdentity: Sendable {
  /// The two halves of a UUID. The first byte of each half is its most significant byte.
  package typealias Words = (high: UInt64, low: UInt64)

  /// The `kind` of a heart rate. Its content is the value: the 64 bits of a `Double`, big-endian.
  static let heartRate: UInt8 = 4

  /// The part of a monitor's bundle identifier before the address.
  static let sourcePrefix = "org.hrgate.monitor."

  /// The bytes that are hashed. The buffer is reused; its bytes before the time are the same for all samples.
  private var message: [UInt8]
  private let prefixCount: Int

  package init(monitor address: String) {
    message = [0, 0] + Array(address.utf8) + [0]
    prefixCount = message.count
  }

  /// - Returns: The address of the monitor; `nil` if the source is not a monitor.
  static func address(ofSource bundleIdentifier: String) -> String? {
    guard bundleIdentifier.hasPrefix(sourcePrefix) else { return nil }
    return String(bundleIdentifier.dropFirst(sourcePrefix.count))
  }

  /// - Parameters:
  ///   - time: The receipt time, which is the end of the sample, in microseconds since 1970.
  ///   - occurrence: The number of the monitor's earlier samples with this kind, time and content.
  package mutating func words(
    _ kind: UInt8, at time: Int64, _ content: UnsafeRawBufferPointer, occurrence: UInt32
  ) -> Words {
    message[0] = kind
    withUnsafeBytes(of: time.bigEndian) { message.append(contentsOf: $0) }
    message.append(contentsOf: content)
    if occurrence > 0 { withUnsafeBytes(of: occurrence.littleEndian) { message.append(contentsOf: $0) } }
    defer { message.removeSubrange(prefixCount...) }
    return message.withUnsafeBytes { SHA256.withDigest(of: $0) { Self.words(time, $0) } }
  }

  /// - Parameter value: The heart rate in beats per minute.
  package static func content(ofHeartRate value: Double) -> UInt64 { value.bitPattern.bigEndian }

  /// - Parameter value: The heart rate in beats per minute.
  mutating func words(ofHeartRate value: Double, at time: Int64, occurrence: UInt32) -> Words {
    withUnsafeBytes(of: Self.content(ofHeartRate: value)) {
      words(Self.heartRate, at: time, $0, occurrence: occurrence)
    }
  }

  private static func words(_ time: Int64, _ digest: UnsafeRawBufferPointer) -> Words {
    let milliseconds = UInt64(bitPattern: time) / 1000
    let high = digest.loadUnaligned(as: UInt16.self).bigEndian
    let low = digest.loadUnaligned(fromByteOffset: 2, as: UInt64.self).bigEndian
    return (milliseconds << 16 | 0x8000 | UInt64(high & 0x0FFF), 1 << 63 | low & (1 << 62 - 1))
  }
}
