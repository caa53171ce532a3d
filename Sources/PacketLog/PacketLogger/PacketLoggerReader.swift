internal import Bluetooth

/// Reads Apple PacketLogger, version 1 (big-endian) and version 2 (little-endian).
///
/// There is no file header. A record consists of the length of its remaining bytes, seconds and microseconds
/// since 1970, a type, and the packet without its packet indicator.
struct PacketLoggerReader: PacketLogReader {
  private static let headerLength = 13
  /// The number of bytes before the packet that the length field includes.
  private static let lengthBeforePacket = 9
  /// Maximum length of a record. It ensures that the second byte of a record is 0 or 1 in big-endian order,
  /// which reveals the byte order.
  static let maximumLength: UInt32 = 0x1_FFFF

  let format = PacketLogFormat.packetLogger
  private let source: ByteSource
  private var order: ByteOrder

  init(_ source: ByteSource, _ order: ByteOrder) {
    self.source = source
    self.order = order
  }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard try source.fill(Self.headerLength) else { return false }
    let header = source.window.bytes
    guard let length = header.uint32(at: 0, order), let seconds = header.uint32(at: 4, order),
      let microseconds = header.uint32(at: 8, order), let type = header.uint8(at: 12)
    else { return false }
    let offset = source.offset
    if !(UInt32(Self.lengthBeforePacket)...Self.maximumLength).contains(length),
      try isOtherOrder()
    {
      body(
        PacketLogRecord(content: .section, time: ReceiptTime(microsecondsSince1970: 0), offset: offset),
        RawSpan())
      return true
    }
    guard length >= Self.lengthBeforePacket else {
      throw PacketLogError(
        .malformed("a PacketLogger record has the invalid length \(length)"), offset: offset)
    }
    guard length <= Self.maximumLength else {
      // `isOtherOrder()` may have read more data and moved the window, so get the record's header again.
      throw FormatSignature.foreignHeader(source.window.bytes, offset)
        ?? PacketLogError(.absurdLength(UInt64(length)), offset: offset)
    }
    let end = 4 + Int(length)
    _ = try source.fill(end)
    let time = ReceiptTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds))
    body(
      PacketLogRecord(content: PacketLoggerType.content(type), time: time, offset: offset),
      source.window.bytes.extracting(Self.headerLength..<end))
    source.consume(end)
    return true
  }

  /// Switches to the other byte order if a log of the other version was appended to this one. Returns whether
  /// it did.
  private mutating func isOtherOrder() throws(PacketLogError) -> Bool {
    let other: ByteOrder = order == .big ? .little : .big
    let available = try source.gather(FormatSignature.lookAhead)
    guard Self.soundRecords(source.window.bytes.extracting(first: available), other) > 0 else { return false }
    order = other
    return true
  }

  /// Returns the number of valid records at the start in this byte order: at most 2, and 0 if one of them is
  /// invalid.
  static func soundRecords(_ bytes: RawSpan, _ order: ByteOrder) -> Int {
    var position = 0
    var count = 0
    while count < 2, bytes.byteCount - position >= headerLength {
      guard let length = bytes.uint32(at: position, order), let type = bytes.uint8(at: position + 12),
        let microseconds = bytes.uint32(at: position + 8, order),
        (UInt32(lengthBeforePacket)...maximumLength).contains(length), microseconds < 1_000_000,
        PacketLoggerType.isKnown(type)
      else { return 0 }
      position += 4 + Int(length)
      count += 1
    }
    return count
  }
}
