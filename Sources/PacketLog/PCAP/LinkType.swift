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
}
