internal import Bluetooth

/// The header of link type 192 (CACE Technologies' PPI), which names the link type of the packet behind it:
/// what Ubertooth and other sniffers wrote before there was a type for low energy.
///
/// Version and flags (u8 each), length of the whole header (u16), link type (u32), then fields of type (u16),
/// length (u16) and value; little-endian.
struct PerPacketHeader {
  static let fixedLength = 8
  /// What the receiver of a low-energy packet says of it.
  private static let lowEnergyField: UInt16 = 30006
  /// The first number for private use: low energy's where the field of low energy says so.
  private static let privateUse: UInt32 = 147

  let packetStart: Int
  /// `nil` where it is none that carries Bluetooth, or another PPI.
  let linkType: LinkType?

  /// - Returns: `nil` where the header reaches past the packet.
  init?(_ packet: RawSpan) {
    guard let length = packet.uint16LE(at: 2).map(Int.init), let number = packet.uint32LE(at: 4),
      length >= Self.fixedLength, length <= packet.byteCount
    else { return nil }
    packetStart = length
    let isLowEnergy =
      number == Self.privateUse && Self.hasField(Self.lowEnergyField, packet.extracting(first: length))
    let named = isLowEnergy ? .lowEnergy : LinkType(rawValue: number)
    linkType = named == .perPacket ? nil : named
  }

  private static func hasField(_ wanted: UInt16, _ header: RawSpan) -> Bool {
    var position = fixedLength
    while let type = header.uint16LE(at: position), let length = header.uint16LE(at: position + 2) {
      if type == wanted { return true }
      position += 4 + Int(length)
    }
    return false
  }
}
