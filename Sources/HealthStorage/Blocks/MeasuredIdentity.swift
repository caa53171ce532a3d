/// The UUID of what a monitor measured, which follows from what it says.
///
/// RFC 9562 version 8, in order of time so that the store's index grows at its end: 48 bits of Unix
/// milliseconds, then 74 bits of SHA-256 over `kind ‖ 0 ‖ monitor's address as text ‖ 0 ‖ time in µs, 64 bits
/// big-endian ‖ content`, and for the second and each further equal content at one time its number from 1
/// on, 32 bits little-endian.
package struct MeasuredIdentity: Sendable {
  /// As the store writes it: the first eight bytes, the first as the most significant, and the others.
  package typealias Words = (high: UInt64, low: UInt64)

  /// The kind of a heart rate, whose content is its value: as it is stored, the 64 bits of a `Double`,
  /// big-endian.
  static let heartRate: UInt8 = 4

  /// How the sources of monitors are named, before the address.
  static let sourcePrefix = "org.hrgate.monitor."

  /// What is hashed: for one sample after another in the same room, up to the time the same octets.
  private var message: [UInt8]
  private let prefixCount: Int

  package init(monitor address: String) {
    message = [0, 0] + Array(address.utf8) + [0]
    prefixCount = message.count
  }

  /// - Returns: nil for a source that is no monitor.
  static func address(ofSource bundleIdentifier: String) -> String? {
    guard bundleIdentifier.hasPrefix(sourcePrefix) else { return nil }
    return String(bundleIdentifier.dropFirst(sourcePrefix.count))
  }

  /// - Parameters:
  ///   - time: in microseconds since 1970; that of the receipt, which is where the sample ends.
  ///   - occurrence: so many of the monitor's have this kind, time and content before it.
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

  /// - Parameter value: in beats per minute.
  package static func content(ofHeartRate value: Double) -> UInt64 { value.bitPattern.bigEndian }

  /// - Parameter value: in beats per minute.
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
