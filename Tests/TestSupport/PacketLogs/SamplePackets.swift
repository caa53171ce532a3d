import Bluetooth
import PacketLog

/// One packet of each kind that all HCI containers support, 0.1 s apart.
enum SamplePackets {
  static let start: Int64 = 1_700_000_000_100_000

  static let commandEventACL: [LoggedPacket] = [
    LoggedPacket(.command(), at: start, [0x03, 0x0C, 0x00]),
    LoggedPacket(.event(), at: start + 100_000, [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]),
    LoggedPacket(.aclSent(), at: start + 200_000, [0x40, 0x00, 0x03, 0x00, 0x01, 0x00, 0x04]),
    LoggedPacket(.aclReceived(), at: start + 300_001, [0x40, 0x20, 0x02, 0x00, 0x16, 0x48]),
  ]

  static let allTypes: [LoggedPacket] =
    commandEventACL + [
      LoggedPacket(hci(.synchronousData, .hostToController), at: start + 400_000, [1, 2]),
      LoggedPacket(hci(.synchronousData, .controllerToHost), at: start + 500_000, [3]),
      LoggedPacket(hci(.isochronousData, .hostToController), at: start + 600_000, []),
      LoggedPacket(hci(.isochronousData, .controllerToHost), at: start + 700_000, [4, 5, 6]),
    ]

  /// Link-layer packets: an advertisement, and data from both sides with each CRC result.
  static let linkLayer: [LoggedPacket] = [
    LoggedPacket(
      air(.unknown, nil), at: start, advertisingAddress + [0x40, 0x01, 0xAA, 0x01, 0x02, 0x03]),
    LoggedPacket(air(.valid, .central), at: start + 1250, dataAddress + [0x02, 0x01, 0x55]),
    LoggedPacket(air(.invalid, .peripheral), at: start + 2500, dataAddress + [0x01, 0x00]),
    LoggedPacket(
      air(.valid, .peripheral, isDecrypted: true), at: start + 3750, dataAddress + [0x06, 0x01, 0x77]),
  ]

  static let advertisingAddress: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E]
  static let dataAddress: [UInt8] = [0x11, 0x22, 0x33, 0x44]

  static func hci(_ type: HCIPacketType, _ direction: HCIDirection?) -> PacketLogRecord.Content {
    .hci(type, direction: direction, controller: 0)
  }

  static func air(
    _ crc: LinkLayerReception.Check, _ sender: LinkLayerReception.Sender?, isDecrypted: Bool = false
  ) -> PacketLogRecord.Content {
    .linkLayer(LinkLayerReception(crc: crc, sender: sender, isDecrypted: isDecrypted))
  }
}

extension [LoggedPacket] {
  /// The packets as a container returns them that counts time from its start, in steps of 100 µs.
  var sinceTheFirst: [LoggedPacket] {
    let start = first?.time ?? ReceiptTime(microsecondsSince1970: 0)
    return map { LoggedPacket($0.content, at: $0.time.microseconds(since: start) / 100 * 100, $0.bytes) }
  }

  /// The packets as a container returns them that does not store directions.
  var withoutStatedDirections: [LoggedPacket] {
    map { packet in
      var packet = packet
      if case .hci(let type, _, let controller) = packet.content, type != .command, type != .event {
        packet.content = .hci(type, direction: nil, controller: controller)
      }
      return packet
    }
  }
}
