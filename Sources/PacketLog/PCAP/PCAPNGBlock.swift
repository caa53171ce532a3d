internal import Bluetooth

/// The frame that every pcapng block has: type, total length, body, total length once more.
enum PCAPNGBlock {
  static let headerLength = 8
  static let trailerLength = 4
  static let smallest = headerLength + trailerLength

  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  static let interfaceDescription: UInt32 = 1
  /// Obsolete, still found in old captures.
  static let packet: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let enhancedPacket: UInt32 = 6

  /// The type of a section header reads the same in both byte orders.
  static let sectionHeaderMagic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
  static let byteOrderMagic: UInt32 = 0x1A2B_3C4D

  static func isSectionHeader(_ bytes: RawSpan) -> Bool {
    bytes.uint32LE(at: 0) == sectionHeader
  }

  /// The byte order of the section that begins here, by the magic number after its header.
  static func byteOrder(_ bytes: RawSpan) -> ByteOrder? {
    switch bytes.uint32LE(at: headerLength) {
    case byteOrderMagic: .little
    case byteOrderMagic.byteSwapped: .big
    default: nil
    }
  }
}
