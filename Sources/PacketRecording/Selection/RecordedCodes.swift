import PacketLog

// What names a link or a peer among the commands and events (Core Specification, Vol 4, Part E, §7.1, §7.7,
// §7.8).

extension HCICommandCode {
  static let leExtendedCreateConnection: UInt16 = 0x2043

  /// Their parameters begin with a connection handle: Disconnect, Read Remote Version Information, Read RSSI,
  /// LE Connection Update, LE Read Remote Features, LE Enable Encryption, the answers to a request for a key
  /// and for connection parameters, LE Set Data Length, LE Read PHY, LE Set PHY.
  static let ofLink: Set<UInt16> = [
    0x0406, 0x041D, 0x1405, 0x2013, 0x2016, 0x2019, 0x201A, 0x201B, 0x2020, 0x2021, 0x2022, 0x2030, 0x2032,
  ]

  /// Their parameters begin with an address and its kind: the accept list and the resolving list, in and out.
  static let ofPeer: Set<UInt16> = [0x2011, 0x2012, 0x2027, 0x2028]
}

extension HCIEventCode {
  /// A status, then a connection handle: Encryption Change in both versions, Read Remote Version Information
  /// Complete, Encryption Key Refresh Complete.
  static let ofLink: Set<UInt8> = [0x08, 0x0C, 0x30, 0x59]
}

extension LESubevent {
  /// A status, then a connection handle: Connection Update Complete, Read Remote Features Complete, PHY
  /// Update Complete.
  static let ofLinkWithStatus: Set<UInt8> = [0x03, 0x04, 0x0C]
  /// A connection handle: Long Term Key Request, Remote Connection Parameter Request, Data Length Change.
  static let ofLink: Set<UInt8> = [0x05, 0x06, 0x07]
}
