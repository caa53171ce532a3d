internal import Bluetooth

/// Reads btsnoop version 1 with HCI packets: datalinks 1001, 1002, and 2001.
struct BTSnoopReader: PacketLogReader {
  private typealias Field = BTSnoopRecordHeader

  /// The datalink of the first file header.
  let format: PacketLogFormat
  private let source: ByteSource
  /// The datalink of the current part. A log that was appended to the file may have a different one.
  private var sectionFormat: PacketLogFormat
  private var dropsSeen: UInt32 = 0

  init(_ source: ByteSource) throws(PacketLogError) {
    format = try Self.readHeader(source)
    sectionFormat = format
    self.source = source
  }

  private static func readHeader(_ source: ByteSource) throws(PacketLogError) -> PacketLogFormat {
    _ = try source.fill(BTSnoopHeader.length)
    let header = source.window.bytes
    guard header.uint32BE(at: 8) == BTSnoopHeader.version else {
      throw PacketLogError(.malformed("unknown btsnoop version"), offset: source.offset + 8)
    }
    let datalink = header.uint32BE(at: 12) ?? 0
    let format: PacketLogFormat =
      switch datalink {
      case BTSnoopHeader.Datalink.unencapsulated: .btsnoopH1
      case BTSnoopHeader.Datalink.uart: .btsnoopH4
      case BTSnoopHeader.Datalink.monitor: .btsnoopMonitor
      default: throw PacketLogError(.unsupportedDatalink(datalink), offset: source.offset + 12)
      }
    source.consume(BTSnoopHeader.length)
    return format
  }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard try source.fill(BTSnoopHeader.length) else { return false }
    if BTSnoopHeader.hasMagic(source.window.bytes) { return try beginSection(body) }
    _ = try source.fill(Field.length)
    let header = source.window.bytes
    guard let original = header.uint32BE(at: Field.originalLength),
      let included = header.uint32BE(at: Field.includedLength),
      let flags = header.uint32BE(at: Field.flags),
      let drops = header.uint32BE(at: Field.cumulativeDrops),
      let timestamp = header.uint64BE(at: Field.timestamp)
    else { return false }
    let offset = source.offset
    guard included <= Field.maximumIncludedLength else {
      throw FormatSignature.foreignHeader(header, offset)
        ?? PacketLogError(.absurdLength(UInt64(included)), offset: offset)
    }
    let length = Field.length &+ Int(included)
    _ = try source.fill(length)

    var record = PacketLogRecord(
      content: .lost(controller: nil),
      time: ReceiptTime(
        microsecondsSince1970: Int64(bitPattern: timestamp) &- Field.microsecondsBefore1970),
      offset: offset)
    let packet = source.window.bytes
    if drops != dropsSeen, reportsLoss(drops) {
      body(record, packet.extracting(first: 0))
      return true
    }
    record.isTruncated = included < original
    deliver(record, packet.extracting(Field.length..<length), flags, body)
    source.consume(length)
    return true
  }

  /// Reads the header of a log that was appended to this one. Its drop counter starts at 0.
  private mutating func beginSection(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    let offset = source.offset
    sectionFormat = try Self.readHeader(source)
    dropsSeen = 0
    body(
      PacketLogRecord(content: .section, time: ReceiptTime(microsecondsSince1970: 0), offset: offset),
      RawSpan())
    return true
  }

  /// Returns whether the recorder dropped packets: its drop counter increased since the previous record.
  ///
  /// If the counter decreased, no packets were dropped: another log was appended.
  private mutating func reportsLoss(_ drops: UInt32) -> Bool {
    defer { dropsSeen = drops }
    return drops > dropsSeen
  }

  @inline(__always)
  private func deliver(
    _ record: PacketLogRecord, _ packet: RawSpan, _ flags: UInt32,
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) {
    var record = record
    switch sectionFormat {
    case .btsnoopMonitor:
      record.content = MonitorOpcode.content(
        UInt16(truncatingIfNeeded: flags), controller: UInt16(truncatingIfNeeded: flags >> 16))
    case .btsnoopH1:
      record.content = .hci(Self.type(flags), direction: Self.direction(flags), controller: 0)
    default:
      // If the recorder cut off the packet indicator, only the flags reveal the packet type.
      let isUnreadable = record.isTruncated && packet.byteCount == 0
      let type =
        isUnreadable ? Self.type(flags) : packet.uint8(at: 0).flatMap(HCIPacketType.init(rawValue:))
      guard let type else {
        record.content = .other
        break
      }
      // Prefer the packet indicator to the flags, which several writers set incorrectly.
      record.content = .hci(type, direction: type.onlyDirection ?? Self.direction(flags), controller: 0)
      body(record, packet.extracting(droppingFirst: 1))
      return
    }
    body(record, packet)
  }

  private static func direction(_ flags: UInt32) -> HCIDirection {
    flags & 1 == 0 ? .hostToController : .controllerToHost
  }

  private static func type(_ flags: UInt32) -> HCIPacketType {
    switch flags & 0b11 {
    case 0b10: .command
    case 0b11: .event
    default: .aclData
    }
  }
}
