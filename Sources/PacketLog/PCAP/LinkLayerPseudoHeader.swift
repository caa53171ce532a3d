internal import Bluetooth

/// The 10-byte header before the packets of link type 256. The last 2 bytes are little-endian flags.
struct LinkLayerPseudoHeader {
  static let length = 10
  private static let flagsAt = 8

  enum Flag {
    static let dewhitened: UInt16 = 0x0001
    static let decrypted: UInt16 = 0x0008
    static let pduType: UInt16 = 0x0380
    static let crcChecked: UInt16 = 0x0400
    static let crcValid: UInt16 = 0x0800
    static let phy: UInt16 = 0xC000
    static let phyCoded: UInt16 = 0x8000
  }

  enum PDUType {
    static let advertising: UInt16 = 0
    static let dataFromCentral: UInt16 = 2
    static let dataFromPeripheral: UInt16 = 3
    static let isochronous: ClosedRange<UInt16> = 4...6
  }

  private let flags: UInt16

  /// - Returns: The header, or `nil` for packets that cannot be followed: whitened packets and isochronous
  ///   streams.
  init?(_ packet: RawSpan) {
    guard let flags = packet.uint16LE(at: Self.flagsAt), flags & Flag.dewhitened != 0 else { return nil }
    self.flags = flags
    if PDUType.isochronous.contains(pduType) { return nil }
  }

  var layout: LinkLayerLayout {
    LinkLayerLayout(
      reception: LinkLayerReception(crc: crc, sender: sender, isDecrypted: flags & Flag.decrypted != 0),
      start: Self.length, hasCodingIndicator: flags & Flag.phy == Flag.phyCoded)
  }

  private var pduType: UInt16 { (flags & Flag.pduType) >> 7 }

  private var crc: LinkLayerReception.Check {
    guard flags & Flag.crcChecked != 0 else { return .unknown }
    return flags & Flag.crcValid != 0 ? .valid : .invalid
  }

  private var sender: LinkLayerReception.Sender? {
    switch pduType {
    case PDUType.dataFromCentral: .central
    case PDUType.dataFromPeripheral: .peripheral
    default: nil
    }
  }
}
