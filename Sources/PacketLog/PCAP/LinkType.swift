internal import Bluetooth

/// The pcap and pcapng link types that contain Bluetooth (registry at tcpdump.org).
enum LinkType: UInt32, Sendable {
  /// HCI with the UART packet indicator and no direction.
  case hci = 187
  /// Packets of any link type, each with a header that states its link type.
  case perPacket = 192
  /// HCI with the UART packet indicator, preceded by a 4-byte word that states the direction.
  case hciWithDirection = 201
  /// Link-layer packets: access address, PDU, CRC.
  case lowEnergy = 251
  /// The Linux monitor channel: controller index, opcode, packet.
  case linuxMonitor = 254
  /// Link-layer packets after a header with reception details.
  case lowEnergyWithReception = 256
  /// Link-layer packets in messages of the Nordic sniffer.
  case nordicSniffer = 272

  /// Returns the number of header bytes before the content of a captured packet.
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

  /// Returns the content of a packet whose header was cut off.
  ///
  /// It is reported as a data packet, because it may have contained a value.
  func unreadableContent(of packet: RawSpan) -> PacketLogRecord.Content {
    switch self {
    case .hci, .hciWithDirection: .hci(.aclData, direction: nil, controller: 0)
    case .linuxMonitor: .hci(.aclData, direction: nil, controller: packet.uint16BE(at: 0) ?? 0)
    case .perPacket, .lowEnergy, .lowEnergyWithReception, .nordicSniffer:
      .linkLayer(LinkLayerReception())
    }
  }
}
