internal import Bluetooth

/// The structure of every pcapng block: type, total length, body, and the total length again.
enum PCAPNGBlock {
  static let headerLength = 8
  static let trailerLength = 4
  static let smallest = headerLength + trailerLength

  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  static let interfaceDescription: UInt32 = 1
  /// Obsolete, but still found in old captures.
  static let packet: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let enhancedPacket: UInt32 = 6

  /// The block type of a section header, which is the same in both byte orders.
  static let sectionHeaderMagic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
  static let byteOrderMagic: UInt32 = 0x1A2B_3C4D

  static func isSectionHeader(_ bytes: RawSpan) -> Bool {
    bytes.uint32LE(at: 0) == sectionHeader
  }

  /// Returns the byte order of the section that starts here, from its byte-order magic.
  static func byteOrder(_ bytes: RawSpan) -> ByteOrder? {
    switch bytes.uint32LE(at: headerLength) {
    case byteOrderMagic: .little
    case byteOrderMagic.byteSwapped: .big
    default: nil
    }
  }
}
