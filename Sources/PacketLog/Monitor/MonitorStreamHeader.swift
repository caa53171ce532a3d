internal import Bluetooth

/// The header of a message in the serial monitor stream.
///
/// The fields are the length of the rest of the message (u16), opcode (u16), flags (u8), length of the
/// extended header (u8), and the extended header. All fields are little-endian.
struct MonitorStreamHeader {
  static let fixedLength = 6
  /// Size of the length field in bytes, which the length does not include.
  static let lengthFieldSize = 2

  private enum Extension {
    /// Seven counters of dropped packets, 1 byte each.
    static let drops: ClosedRange<UInt8> = 1...7
    /// Time since the start of the stream in units of 100 µs (u32).
    static let timestamp: UInt8 = 8
  }

  /// The length of the whole message in bytes.
  let length: Int
  let packetStart: Int
  let opcode: UInt16
  private(set) var timestamp: UInt32?
  private(set) var reportsDrops = false

  /// - Parameter bytes: At least the fixed part.
  /// - Returns: The header, or `nil` if the lengths contradict each other.
  init?(fixedPart bytes: RawSpan) {
    guard let counted = bytes.uint16LE(at: 0), let opcode = bytes.uint16LE(at: 2),
      let extensionLength = bytes.uint8(at: 5)
    else { return nil }
    length = Self.lengthFieldSize + Int(counted)
    packetStart = Self.fixedLength + Int(extensionLength)
    guard packetStart <= length else { return nil }
    self.opcode = opcode
  }

  /// Reads the extended header.
  ///
  /// - Returns: `false` if an element has an unknown type or is cut off. The elements before it are used.
  @discardableResult
  mutating func readExtension(_ message: RawSpan) -> Bool {
    var position = Self.fixedLength
    while position < packetStart {
      switch message.uint8(at: position) {
      case Extension.timestamp where position + 5 <= packetStart:
        timestamp = message.uint32LE(at: position + 1)
        position += 5
      case let type? where Extension.drops.contains(type) && position + 2 <= packetStart:
        if message.uint8(at: position + 1) != 0 { reportsDrops = true }
        position += 2
      default:
        return false
      }
    }
    return true
  }

  /// Returns whether the bytes can be the start of a stream.
  ///
  /// The stream does not have a magic number, so every available field of the first two messages must be
  /// valid.
  static func begins(_ bytes: RawSpan) -> Bool {
    var position = 0
    for _ in 0..<2 where bytes.byteCount - position >= fixedLength {
      let rest = bytes.extracting(position..<bytes.byteCount)
      guard var header = MonitorStreamHeader(fixedPart: rest), header.opcode <= MonitorOpcode.highest,
        rest.uint8(at: 4) == 0
      else { return false }
      if header.packetStart <= rest.byteCount, !header.readExtension(rest) { return false }
      position += header.length
    }
    return position > 0
  }
}
