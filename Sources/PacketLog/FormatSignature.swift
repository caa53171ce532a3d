internal import Bluetooth

/// Which container the first octets of a log announce.
enum FormatSignature: Equatable {
  case btsnoop
  case pcap(PCAPVariant)
  case pcapng
  case packetLogger(ByteOrder)
  case hciDump
  case monitorStream
  case btsnooz
  /// Text, in which there may be a log.
  case text
  /// The beginning of a magic number and nothing after it.
  case cutShort

  /// Enough for the containers that have no magic number to show a first record.
  static let lookAhead = 4096

  /// - Returns: `nil` for octets that begin no container known here.
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

  /// PacketLogger, hcidump's dump and the monitor stream are known by the soundness of their first records.
  /// One record of one can look like a record of another, so it takes two to be certain.
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

  /// The error that names a header of another container where a record should be: the logs were joined.
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
        .malformed("a \($0) log begins here; split the file at this offset, and give its parts one by one"),
        offset: offset)
    }
  }

  private static func isCutMagic(_ bytes: RawSpan) -> Bool {
    let octets = bytes.extracting(first: 16).copiedBytes()
    let magics = [BTSnoopHeader.magic, PCAPNGBlock.sectionHeaderMagic] + PCAPVariant.magics
    return magics.contains { octets.count < $0.count && $0.starts(with: octets) }
  }
}
