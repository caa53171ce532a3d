internal import Bluetooth

/// The 16-byte header of a btsnoop file: magic number, version, datalink, in big-endian order.
enum BTSnoopHeader {
  static let length = 16
  static let version: UInt32 = 1
  /// `btsnoop` and a NUL byte.
  static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]

  enum Datalink {
    static let unencapsulated: UInt32 = 1001
    static let uart: UInt32 = 1002
    static let monitor: UInt32 = 2001
  }

  static func hasMagic(_ bytes: RawSpan) -> Bool {
    bytes.uint64BE(at: 0) == 0x6274_736E_6F6F_7000
  }
}

/// The 24-byte header of a btsnoop record, in big-endian order.
enum BTSnoopRecordHeader {
  static let length = 24
  static let originalLength = 0
  static let includedLength = 4
  static let flags = 8
  static let cumulativeDrops = 12
  static let timestamp = 16

  /// Maximum length of an HCI packet: a payload of 65,535 bytes, its header, and the packet indicator.
  static let maximumIncludedLength: UInt32 = 65_552

  /// The btsnoop timestamp of 1970-01-01. btsnoop counts microseconds from the year 0.
  static let microsecondsBefore1970: Int64 = 0x00DC_DDB3_0F2F_8000
}
