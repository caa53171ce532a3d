internal import Bluetooth

/// The sixteen octets before the first record of a btsnoop file: magic number, version, datalink; big-endian.
enum BTSnoopHeader {
  static let length = 16
  static let version: UInt32 = 1
  /// `btsnoop` and a NUL.
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

/// The 24 octets before the packet of each btsnoop record; big-endian.
enum BTSnoopRecordHeader {
  static let length = 24
  static let originalLength = 0
  static let includedLength = 4
  static let flags = 8
  static let cumulativeDrops = 12
  static let timestamp = 16

  /// No HCI packet is longer than a 65535-octet payload with its header and the packet indicator.
  static let maximumIncludedLength: UInt32 = 65_552

  /// btsnoop counts microseconds from the year 0; this many of them come before 1970.
  static let microsecondsBefore1970: Int64 = 0x00DC_DDB3_0F2F_8000
}
