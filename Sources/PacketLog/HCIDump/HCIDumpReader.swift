internal import Bluetooth

/// Reads the format that `hcidump -w` used before btsnoop.
///
/// There is no file header. A record is the packet's length including its packet indicator (u16), whether it
/// was received (u8), a padding byte, seconds and microseconds since 1970 (u32 each), and the packet. All
/// fields are little-endian.
struct HCIDumpReader: PacketLogReader {
  private enum Field {
    static let length = 0
    static let isReceived = 2
    static let pad = 3
    static let seconds = 4
    static let microseconds = 8
    static let packet = 12
  }

  let format = PacketLogFormat.hciDump
  private let source: ByteSource

  init(_ source: ByteSource) { self.source = source }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard try source.fill(Field.packet) else { return false }
    let header = source.window.bytes
    guard let length = header.uint16LE(at: Field.length), let isReceived = header.uint8(at: Field.isReceived),
      let seconds = header.uint32LE(at: Field.seconds),
      let microseconds = header.uint32LE(at: Field.microseconds)
    else { return false }
    let offset = source.offset
    guard length > 0 else {
      throw PacketLogError(.malformed("the hcidump record has the length 0"), offset: offset)
    }
    guard isReceived <= 1 else {
      throw FormatSignature.foreignHeader(header, offset)
        ?? PacketLogError(
          .malformed("the hcidump record has the invalid direction \(isReceived)"), offset: offset)
    }
    let end = Field.packet + Int(length)
    _ = try source.fill(end)
    var record = PacketLogRecord(
      content: .other,
      time: ReceiptTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds)),
      offset: offset)
    let packet = source.window.bytes.extracting(Field.packet..<end)
    if let type = packet.uint8(at: 0).flatMap(HCIPacketType.init(rawValue:)) {
      let direction: HCIDirection = isReceived == 0 ? .hostToController : .controllerToHost
      record.content = .hci(type, direction: type.onlyDirection ?? direction, controller: 0)
      body(record, packet.extracting(droppingFirst: 1))
    } else {
      body(record, packet)
    }
    source.consume(end)
    return true
  }

  /// Returns the number of valid records at the start: at most 2, and 0 if one of them is invalid.
  static func soundRecords(_ bytes: RawSpan) -> Int {
    var position = 0
    var count = 0
    while count < 2, bytes.byteCount - position > Field.packet {
      guard let length = bytes.uint16LE(at: position + Field.length), length > 0,
        let isReceived = bytes.uint8(at: position + Field.isReceived), isReceived <= 1,
        bytes.uint8(at: position + Field.pad) == 0,
        let microseconds = bytes.uint32LE(at: position + Field.microseconds), microseconds < 1_000_000,
        let type = bytes.uint8(at: position + Field.packet).flatMap(HCIPacketType.init(rawValue:)),
        type.onlyDirection.map({ ($0 == .controllerToHost) == (isReceived == 1) }) ?? true
      else { return 0 }
      position += Field.packet + Int(length)
      count += 1
    }
    return count
  }
}
