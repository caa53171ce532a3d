internal import Bluetooth

/// The file format of a log, recognized by its first bytes.
enum FormatSignature: Equatable {
  case btsnoop
  case pcap(PCAPVariant)
  case pcapng
  case packetLogger(ByteOrder)
  case hciDump
  case monitorStream
  case btsnooz
  /// Text, which may contain a btsnooz log.
  case text
  /// The log is so short that it ends within a magic number.
  case cutShort

  /// The number of bytes to examine. Formats without a magic number are recognized by their first records.
  static let lookAhead = 4096

  /// - Returns: `nil` if the format is unknown.
  init?(of bytes: RawSpan) {
    if BTSnoopHeader.hasMagic(bytes) {
      self = .btsnoop
    } else if let variant = PCAPVariant(of: bytes) {
      self = .pcap(variant)
    } else if PCAPNGBlock.isSectionHeader(bytes) {
      self = .pcapng
    } else if let signature = Self.withoutMagic(bytes) {
      self = signature
    } else if Self.isCutMagic(bytes) {
      self = .cutShort
    } else if BTSnoozReader.begins(bytes) {
      self = .btsnooz
    } else if BugReport.isText(bytes) {
      self = .text
    } else {
      return nil
    }
  }

  /// Recognizes PacketLogger, hcidump, and the monitor stream, which have no magic number, by whether their
  /// first records are valid.
  ///
  /// A single record may be valid in several formats, so it takes two valid records to be certain.
  private static func withoutMagic(_ bytes: RawSpan) -> FormatSignature? {
    let packetLogger = [ByteOrder.big, .little].map { order in
      (order: order, records: PacketLoggerReader.soundRecords(bytes, order))
    }
    if let certain = packetLogger.first(where: { $0.records > 1 }) { return .packetLogger(certain.order) }
    let dumped = HCIDumpReader.soundRecords(bytes)
    if dumped > 1 { return .hciDump }
    if MonitorStreamHeader.begins(bytes) { return .monitorStream }
    if let likely = packetLogger.first(where: { $0.records > 0 }) { return .packetLogger(likely.order) }
    return dumped > 0 ? .hciDump : nil
  }

  /// Returns an error if the header of another format is where a record should be.
  ///
  /// This happens if logs of different formats were concatenated.
  static func foreignHeader(_ bytes: RawSpan, _ offset: Int64) -> PacketLogError? {
    let name: String? =
      if BTSnoopHeader.hasMagic(bytes) {
        "btsnoop"
      } else if PCAPVariant(of: bytes) != nil {
        "pcap"
      } else if PCAPNGBlock.isSectionHeader(bytes) {
        "pcapng"
      } else {
        nil
      }
    return name.map {
      PacketLogError(
        .malformed("a \($0) log begins here; split the file at this offset, and replay its parts one by one"),
        offset: offset)
    }
  }

  private static func isCutMagic(_ bytes: RawSpan) -> Bool {
    let start = bytes.extracting(first: 16).copiedBytes()
    let magics = [BTSnoopHeader.magic, PCAPNGBlock.sectionHeaderMagic] + PCAPVariant.magics
    return magics.contains { start.count < $0.count && $0.starts(with: start) }
  }
}
