/// The event codes of connections and of commands (Core Specification, Vol 4, Part E, §7.7).
enum HCIEventCode {
  static let connectionComplete: UInt8 = 0x03
  static let disconnectionComplete: UInt8 = 0x05
  static let commandComplete: UInt8 = 0x0E
  static let commandStatus: UInt8 = 0x0F
  static let numberOfCompletedPackets: UInt8 = 0x13
  static let leMeta: UInt8 = 0x3E
}

/// The sub-events of LE Meta (Vol 4, Part E, §7.7.65).
enum LESubevent {
  static let connectionComplete: UInt8 = 0x01
  static let advertisingReport: UInt8 = 0x02
  static let enhancedConnectionComplete: UInt8 = 0x0A
  static let extendedAdvertisingReport: UInt8 = 0x0D
  static let enhancedConnectionCompleteV2: UInt8 = 0x29
}

/// Commands as opcodes (Vol 4, Part E, §7.3).
enum HCICommandCode {
  static let reset: UInt16 = 0x0C03
  static let readBDADDR: UInt16 = 0x1009
  static let leSetRandomAddress: UInt16 = 0x2005
  static let leSetAdvertisingParameters: UInt16 = 0x2006
  static let leSetAdvertisingData: UInt16 = 0x2008
  static let leSetScanResponseData: UInt16 = 0x2009
  static let leSetAdvertisingEnable: UInt16 = 0x200A
  static let leSetScanEnable: UInt16 = 0x200C
  static let leCreateConnection: UInt16 = 0x200D
  static let leSetAdvertisingSetRandomAddress: UInt16 = 0x2035
  static let leSetExtendedAdvertisingParameters: UInt16 = 0x2036
  static let leSetExtendedAdvertisingData: UInt16 = 0x2037
  static let leSetExtendedScanResponseData: UInt16 = 0x2038
}
