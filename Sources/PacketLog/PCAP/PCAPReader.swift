internal import Bluetooth

/// Reads classic pcap, which has one link type for the whole file.
struct PCAPReader: PacketLogReader {
  private static let headerLength = 24
  private static let recordHeaderLength = 16
  /// The largest snap length that capture programs use.
  static let maximumCapturedLength: UInt32 = 262_144
  /// A mask for the link type. The upper bits of the network field describe frame check sequences.
  private static let linkTypeMask: UInt32 = 0x03FF_FFFF

  let format = PacketLogFormat.pcap
  private let source: ByteSource
  private var variant: PCAPVariant
  private var framing: PacketFraming

  init(_ source: ByteSource, _ variant: PCAPVariant) throws(PacketLogError) {
    framing = try Self.readHeader(source, variant)
    self.source = source
    self.variant = variant
  }

  private static func readHeader(
    _ source: ByteSource, _ variant: PCAPVariant
  ) throws(PacketLogError) -> PacketFraming {
    let networkField = 20
    _ = try source.fill(Self.headerLength)
    let number = (source.window.bytes.uint32(at: networkField, variant.order) ?? 0) & Self.linkTypeMask
    guard let linkType = LinkType(rawValue: number) else {
      throw PacketLogError(.unsupportedDatalink(number), offset: source.offset + Int64(networkField))
    }
    source.consume(Self.headerLength)
    return PacketFraming(linkType)
  }

  /// Returns the variant of an appended log, if its file header is where a record should be.
  ///
  /// A real record with these bytes would be empty, and its time would be the magic number and version.
  private static func appendedHeader(_ bytes: RawSpan) -> PCAPVariant? {
    let version: (major: UInt16, minor: UInt16) = (2, 4)
    guard let variant = PCAPVariant(of: bytes), bytes.uint16(at: 4, variant.order) == version.major,
      bytes.uint16(at: 6, variant.order) == version.minor, bytes.uint32(at: 8, variant.order) == 0
    else { return nil }
    return variant
  }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    guard try source.fill(Self.recordHeaderLength) else { return false }
    if let variant = Self.appendedHeader(source.window.bytes) { return try beginSection(variant, body) }
    let header = source.window.bytes
    guard let seconds = header.uint32(at: 0, variant.order),
      let fraction = header.uint32(at: 4, variant.order),
      let captured = header.uint32(at: 8, variant.order),
      let original = header.uint32(at: 12, variant.order)
    else { return false }
    let offset = source.offset
    guard captured <= Self.maximumCapturedLength else {
      throw FormatSignature.foreignHeader(header, offset)
        ?? PacketLogError(.absurdLength(UInt64(captured)), offset: offset)
    }
    let length = Self.recordHeaderLength + Int(captured)
    _ = try source.fill(length)

    let packet = UnsafeMutableRawBufferPointer(rebasing: source.window[Self.recordHeaderLength..<length])
    let framed = framing.frame(packet, originalLength: Int(original))
    let record = PacketLogRecord(
      content: framed.content, time: time(seconds, fraction), offset: offset,
      isTruncated: framed.isTruncated)
    body(record, packet.bytes.extracting(framed.range))
    source.consume(length)
    return true
  }

  private mutating func beginSection(
    _ variant: PCAPVariant, _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    let offset = source.offset
    framing = try Self.readHeader(source, variant)
    self.variant = variant
    body(
      PacketLogRecord(content: .section, time: ReceiptTime(microsecondsSince1970: 0), offset: offset),
      RawSpan())
    return true
  }

  private func time(_ seconds: UInt32, _ fraction: UInt32) -> ReceiptTime {
    let microseconds = variant.fraction == .microseconds ? fraction : fraction / 1000
    return ReceiptTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds))
  }
}
