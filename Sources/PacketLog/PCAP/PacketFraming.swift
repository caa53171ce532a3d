internal import Bluetooth

/// The content of a captured packet, and its location in the captured bytes.
struct FramedPacket {
  var content: PacketLogRecord.Content
  var range: Range<Int>
  /// Whether the recorder cut off bytes of the content.
  var isTruncated: Bool
}

/// Removes the headers, which depend on the link type, before the packets of one capture interface.
struct PacketFraming {
  private let linkType: LinkType
  private var directionWord = DirectionWord()
  /// The framing of each link type within link type 192, in which each packet states its own link type.
  private var inner: [LinkType: PacketFraming] = [:]

  init(_ linkType: LinkType) { self.linkType = linkType }

  /// Finds the content of a packet. May move bytes within the packet to remove padding.
  ///
  /// - Parameter originalLength: The length of the packet in bytes before the recorder truncated it.
  mutating func frame(_ packet: UnsafeMutableRawBufferPointer, originalLength: Int) -> FramedPacket {
    let isTruncated = packet.count < originalLength
    let framed =
      switch linkType {
      case .hci: hci(packet.bytes, indicatorAt: 0, isTruncated)
      case .perPacket: unwrapped(packet, originalLength)
      case .hciWithDirection: hci(packet.bytes, indicatorAt: DirectionWord.length, isTruncated)
      case .linuxMonitor: monitor(packet.bytes, isTruncated)
      case .lowEnergy:
        LinkLayerLayout(reception: LinkLayerReception(), start: 0).frame(packet, originalLength)
      case .lowEnergyWithReception:
        LinkLayerPseudoHeader(packet.bytes)?.layout.frame(packet, originalLength)
      case .nordicSniffer: NordicSnifferHeader(packet.bytes)?.layout.frame(packet, originalLength)
      }
    if let framed { return framed }
    let isUnreadable = isTruncated && packet.count < linkType.headerLength(of: packet.bytes)
    guard isUnreadable else {
      return FramedPacket(content: .other, range: 0..<packet.count, isTruncated: isTruncated)
    }
    return FramedPacket(
      content: linkType.unreadableContent(of: packet.bytes),
      range: packet.count..<packet.count, isTruncated: true)
  }

  private mutating func unwrapped(
    _ packet: UnsafeMutableRawBufferPointer, _ originalLength: Int
  ) -> FramedPacket? {
    guard let header = PerPacketHeader(packet.bytes), let linkType = header.linkType else { return nil }
    let rest = UnsafeMutableRawBufferPointer(rebasing: packet[header.packetStart...])
    var framed = inner[linkType, default: PacketFraming(linkType)]
      .frame(rest, originalLength: originalLength - header.packetStart)
    framed.range = framed.range.lowerBound + header.packetStart..<framed.range.upperBound + header.packetStart
    return framed
  }

  private mutating func hci(
    _ packet: RawSpan, indicatorAt offset: Int, _ isTruncated: Bool
  ) -> FramedPacket? {
    guard let type = packet.uint8(at: offset).flatMap(HCIPacketType.init(rawValue:)) else { return nil }
    var direction = type.onlyDirection
    if offset == DirectionWord.length, let word = packet.uint32BE(at: 0) {
      direction = directionWord.direction(word, of: type)
    }
    return FramedPacket(
      content: .hci(type, direction: direction, controller: 0), range: offset + 1..<packet.byteCount,
      isTruncated: isTruncated)
  }

  private func monitor(_ packet: RawSpan, _ isTruncated: Bool) -> FramedPacket? {
    let headerLength = 4
    guard let controller = packet.uint16BE(at: 0), let opcode = packet.uint16BE(at: 2) else { return nil }
    return FramedPacket(
      content: MonitorOpcode.content(opcode, controller: controller), range: headerLength..<packet.byteCount,
      isTruncated: isTruncated)
  }
}
