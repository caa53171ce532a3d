internal import Bluetooth

/// The message header of Nordic's nRF Sniffer (link type 272) in protocol versions 0 to 3.
///
/// It is followed by reception details (length of this part, flags, channel, RSSI, event counter, time) and
/// the packet. Version 0 starts with the marker BE EF and has no length in the reception details.
struct NordicSnifferHeader {
  private static let legacyMarker: UInt16 = 0xBEEF
  private static let legacyHeaderLength = 8
  private static let headerLength = 7
  private static let receptionLength = 10
  /// Maximum number of bytes before the packet in all known versions.
  static let longestHeader = headerLength + receptionLength

  private enum MessageID {
    static let advertisingPacket: UInt8 = 2
    static let packet: UInt8 = 6
  }

  private enum Flag {
    static let crcOK: UInt8 = 0b0001
    static let fromCentral: UInt8 = 0b0010
    static let encrypted: UInt8 = 0b0100
    static let micOK: UInt8 = 0b1000
    static let phy: UInt8 = 0b0111_0000
    static let phyCoded: UInt8 = 0b0010_0000
  }

  private let flags: UInt8
  private let packetStart: Int
  private let isData: Bool

  /// - Returns: The header; `nil` for messages that do not contain a packet or are truncated before it.
  init?(_ packet: RawSpan) {
    guard let message = Self.message(packet) else { return nil }
    guard let flags = packet.uint8(at: message.flagsAt),
      let accessAddress = packet.uint32LE(at: message.packetStart)
    else { return nil }
    switch (message.version, message.id) {
    case (...2, MessageID.packet): isData = accessAddress != LinkLayerLayout.advertisingAccessAddress
    case (3..., MessageID.packet): isData = true
    case (3..., MessageID.advertisingPacket): isData = false
    default: return nil
    }
    self.flags = flags
    packetStart = message.packetStart
  }

  var layout: LinkLayerLayout {
    LinkLayerLayout(
      reception: LinkLayerReception(
        crc: flags & Flag.crcOK != 0 ? .valid : .invalid,
        sender: isData ? (flags & Flag.fromCentral != 0 ? .central : .peripheral) : nil,
        isDecrypted: isData && flags & Flag.encrypted != 0 && flags & Flag.micOK != 0),
      start: packetStart, hasCodingIndicator: flags & Flag.phy == Flag.phyCoded,
      mayHavePadding: true)
  }

  private struct Message {
    var version: UInt8
    var id: UInt8
    var flagsAt: Int
    var packetStart: Int
  }

  private static func message(_ packet: RawSpan) -> Message? {
    if packet.uint16BE(at: 0) == legacyMarker {
      guard let id = packet.uint8(at: 2) else { return nil }
      // The reception details of version 0 have no length byte, so they are 1 byte shorter.
      let packetStart = legacyHeaderLength + receptionLength - 1
      return Message(version: 0, id: id, flagsAt: legacyHeaderLength, packetStart: packetStart)
    }
    guard let version = packet.uint8(at: 3), let ownLength = packet.uint8(at: 1) else { return nil }
    let header = version == 1 ? 1 + Int(ownLength) : headerLength
    guard version > 0, header >= headerLength, let id = packet.uint8(at: header - 1),
      let reception = packet.uint8(at: header), reception > 1
    else { return nil }
    return Message(version: version, id: id, flagsAt: header + 1, packetStart: header + Int(reception))
  }
}
