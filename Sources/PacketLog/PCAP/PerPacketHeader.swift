internal import Bluetooth

/// The header of link type 192 (CACE Technologies' PPI), which contains the link type of the packet.
///
/// Ubertooth and other sniffers used it before there was a link type for Low Energy.
///
/// The fields are version and flags (u8 each), length of the whole header (u16), link type (u32), then
/// options of type (u16), length (u16), and value. All fields are little-endian.
struct PerPacketHeader {
  static let fixedLength = 8
  /// The option with reception details of a Low Energy packet.
  private static let lowEnergyField: UInt16 = 30006
  /// The first link type for private use. With the Low Energy option, it means Low Energy.
  private static let privateUse: UInt32 = 147

  let packetStart: Int
  /// `nil` if the link type does not contain Bluetooth, or is PPI again.
  let linkType: LinkType?

  /// - Returns: The header; `nil` if it is longer than the packet.
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
