internal import Bluetooth

/// The link types of pcap and pcapng that carry Bluetooth, by their numbers in the registry at tcpdump.org.
enum LinkType: UInt32, Sendable {
  /// HCI with the UART packet indicator and no direction.
  case hci = 187
  /// Packets of any type, each behind a header that names it.
  case perPacket = 192
  /// HCI as 187, after a four-octet direction word.
  case hciWithDirection = 201
  /// Link-layer packets: access address, PDU, CRC.
  case lowEnergy = 251
  /// The Linux monitor channel: controller index, opcode, packet.
  case linuxMonitor = 254
  /// Link-layer packets after what the receiver says of them.
  case lowEnergyWithReception = 256
  /// Link-layer packets in the messages of Nordic's sniffer.
  case nordicSniffer = 272

  /// Number of bytes at the start of a captured packet that say what it is.
  func headerLength(of packet: RawSpan) -> Int {
    switch self {
    case .hci: 1
    case .perPacket: packet.uint16LE(at: 2).map(Int.init) ?? PerPacketHeader.fixedLength
    case .hciWithDirection: DirectionWord.length + 1
    case .linuxMonitor: 4
    case .lowEnergy: 0
    case .lowEnergyWithReception: LinkLayerPseudoHeader.length
    case .nordicSniffer: NordicSnifferHeader.longestHeader + LinkLayerLayout.accessAddressLength
    }
  }

  /// The content of a packet that was cut before it says what it is: data, the only kind that can be a loss.
  func unreadableContent(of packet: RawSpan) -> PacketLogRecord.Content {
    switch self {
    case .hci, .hciWithDirection: .hci(.aclData, direction: nil, controller: 0)
    case .linuxMonitor: .hci(.aclData, direction: nil, controller: packet.uint16BE(at: 0) ?? 0)
    case .perPacket, .lowEnergy, .lowEnergyWithReception, .nordicSniffer:
      .linkLayer(LinkLayerReception())
    }
  }
}
