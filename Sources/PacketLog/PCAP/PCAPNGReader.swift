internal import Bluetooth

/// Reads pcapng: sections in either byte order, with their capture interfaces. Blocks without packets are
/// skipped.
struct PCAPNGReader: PacketLogReader {
  /// Maximum number of interfaces. No capture program writes sections with more.
  private static let maximumInterfaces = 4096
  /// Maximum number of remembered interface names. Any further interface counts as having a new name.
  private static let maximumNames = 4096

  let format = PacketLogFormat.pcapng
  private let source: ByteSource
  private var order = ByteOrder.little
  private var interfaces: [(description: PCAPNGInterface, identity: PacketLogRecord.Interface)] = []
  /// The number reported for each interface name.
  private var names: [[UInt8]: UInt32] = [:]
  private var nextName: UInt32 = 1
  private var lastTime = ReceiptTime(microsecondsSince1970: 0)
  /// The offset of the block for which a `lost` record (packets may be missing) was already reported.
  private var lossReportedAt: Int64 = -1
  /// Whether there was an interface with Bluetooth packets.
  private var carriesBluetooth = false
  /// The error for the first interface without Bluetooth packets.
  private var foreign: PacketLogError?

  init(_ source: ByteSource) throws(PacketLogError) {
    self.source = source
    try beginSection()
  }

  var bytesRead: Int64 { source.offset }
  var totalBytes: Int64? { source.totalBytes }

  mutating func readRecord(
    _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) -> Bool {
    while try source.fill(PCAPNGBlock.headerLength) {
      let header = source.window.bytes
      let type = header.uint32(at: 0, order) ?? 0
      switch type {
      case PCAPNGBlock.sectionHeader:
        let offset = source.offset
        try beginSection()
        body(
          PacketLogRecord(content: .section, time: lastTime, offset: offset), RawSpan())
        return true
      case PCAPNGBlock.interfaceDescription:
        try addInterface()
      case PCAPNGBlock.enhancedPacket, PCAPNGBlock.simplePacket, PCAPNGBlock.packet:
        try deliver(type, body)
        return true
      default:
        if let error = FormatSignature.foreignHeader(header, source.offset) { throw error }
        source.consume(try blockLength())
      }
    }
    // At the end of the log, reject it if none of the interfaces is for Bluetooth.
    if let foreign, !carriesBluetooth { throw foreign }
    return false
  }

  /// Returns the total length of the block at the start of the window.
  private func blockLength() throws(PacketLogError) -> Int {
    let length = Int(source.window.bytes.uint32(at: 4, order) ?? 0)
    guard length >= PCAPNGBlock.smallest, length.isMultiple(of: 4) else {
      throw PacketLogError(
        .malformed("a pcapng block has the invalid length \(length)"), offset: source.offset)
    }
    return length
  }

  /// Makes the whole block available, and checks that its two lengths are equal.
  private func wholeBlock() throws(PacketLogError) -> Int {
    let length = try blockLength()
    guard length <= ByteSource.capacity else {
      throw PacketLogError(.absurdLength(UInt64(length)), offset: source.offset)
    }
    _ = try source.fill(length)
    let trailer = source.window.bytes.uint32(at: length - PCAPNGBlock.trailerLength, order)
    guard trailer.map(Int.init) == length else {
      throw PacketLogError(.malformed("the two lengths of a pcapng block differ"), offset: source.offset)
    }
    return length
  }

  private mutating func beginSection() throws(PacketLogError) {
    let shortest = 28
    _ = try source.fill(PCAPNGBlock.headerLength + 4)
    guard let order = PCAPNGBlock.byteOrder(source.window.bytes) else {
      throw PacketLogError(
        .malformed("a pcapng section has an unknown byte-order magic"), offset: source.offset)
    }
    self.order = order
    interfaces.removeAll(keepingCapacity: true)
    let length = try blockLength()
    guard length >= shortest else {
      throw PacketLogError(
        .malformed("a pcapng section header has the invalid length \(length)"), offset: source.offset)
    }
    source.consume(length)
  }

  private mutating func addInterface() throws(PacketLogError) {
    let length = try wholeBlock()
    let block = source.window.bytes.extracting(first: length)
    guard interfaces.count < Self.maximumInterfaces,
      let interface = PCAPNGInterface(block, order)
    else {
      throw PacketLogError(.malformed("a pcapng interface description is invalid"), offset: source.offset)
    }
    interfaces.append(
      (
        interface,
        PacketLogRecord.Interface(number: UInt32(interfaces.count), name: number(of: interface.name))
      ))
    if interface.framing != nil {
      carriesBluetooth = true
    } else if foreign == nil {
      foreign = PacketLogError(.unsupportedDatalink(interface.linkType), offset: source.offset)
    }
    source.consume(length)
  }

  private mutating func number(of name: [UInt8]?) -> UInt32 {
    guard let name else { return 0 }
    if let number = names[name] { return number }
    defer { nextName &+= 1 }
    if names.count < Self.maximumNames { names[name] = nextName }
    return nextName
  }

  private mutating func deliver(
    _ type: UInt32, _ body: (PacketLogRecord, RawSpan) -> Void
  ) throws(PacketLogError) {
    let length = try wholeBlock()
    let block = UnsafeMutableRawBufferPointer(rebasing: source.window[..<length])
    let offset = source.offset
    guard let packet = PCAPNGPacket(type, block.bytes, order), Int(packet.interface) < interfaces.count,
      packet.start + Int(packet.captured) <= length - PCAPNGBlock.trailerLength
    else { throw PacketLogError(.malformed("a pcapng packet block is invalid"), offset: offset) }

    let interface = Int(packet.interface)
    if let timestamp = packet.timestamp {
      lastTime = interfaces[interface].description.time.receiptTime(timestamp)
    }
    var record = PacketLogRecord(content: .lost(controller: nil), time: lastTime, offset: offset)
    record.interface = interfaces[interface].identity
    if packet.followsLoss, lossReportedAt != offset {
      lossReportedAt = offset
      body(record, block.bytes.extracting(first: 0))
      return
    }
    let captured = capturedLength(packet, type)
    let payload = UnsafeMutableRawBufferPointer(rebasing: block[packet.start..<packet.start + captured])
    let framed =
      interfaces[interface].description.framing?.frame(payload, originalLength: Int(packet.original))
      ?? FramedPacket(content: .other, range: 0..<captured, isTruncated: captured < Int(packet.original))
    record.content = framed.content
    record.isTruncated = framed.isTruncated
    record.hasWallTime = packet.timestamp != nil
    body(record, payload.bytes.extracting(framed.range))
    source.consume(length)
  }

  /// Returns the captured length of a packet.
  ///
  /// A Simple Packet Block contains only the original length, so the captured length is that length, limited
  /// by the interface's snap length.
  private func capturedLength(_ packet: PCAPNGPacket, _ type: UInt32) -> Int {
    guard type == PCAPNGBlock.simplePacket, let first = interfaces.first?.description, first.snapLength > 0
    else {
      return Int(packet.captured)
    }
    return Int(min(packet.captured, first.snapLength))
  }
}
