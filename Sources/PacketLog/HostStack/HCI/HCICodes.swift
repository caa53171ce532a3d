/// Event codes of connections and commands (Core Specification, Vol 4, Part E, §7.7).
package enum HCIEventCode {
  package static let connectionComplete: UInt8 = 0x03
  package static let disconnectionComplete: UInt8 = 0x05
  package static let commandComplete: UInt8 = 0x0E
  package static let commandStatus: UInt8 = 0x0F
  package static let numberOfCompletedPackets: UInt8 = 0x13
  package static let leMeta: UInt8 = 0x3E
}

/// Subevent codes of the LE Meta event (Vol 4, Part E, §7.7.65).
package enum LESubevent {
  package static let connectionComplete: UInt8 = 0x01
  package static let advertisingReport: UInt8 = 0x02
  package static let enhancedConnectionComplete: UInt8 = 0x0A
  package static let extendedAdvertisingReport: UInt8 = 0x0D
  package static let enhancedConnectionCompleteV2: UInt8 = 0x29
}

/// Command opcodes (Vol 4, Part E, §7.3).
package enum HCICommandCode {
  package static let reset: UInt16 = 0x0C03
  package static let readBDADDR: UInt16 = 0x1009
  package static let leSetRandomAddress: UInt16 = 0x2005
  package static let leSetAdvertisingParameters: UInt16 = 0x2006
  package static let leSetAdvertisingData: UInt16 = 0x2008
  package static let leSetScanResponseData: UInt16 = 0x2009
  package static let leSetAdvertisingEnable: UInt16 = 0x200A
  package static let leSetScanEnable: UInt16 = 0x200C
  package static let leCreateConnection: UInt16 = 0x200D
  package static let leSetAdvertisingSetRandomAddress: UInt16 = 0x2035
  package static let leSetExtendedAdvertisingParameters: UInt16 = 0x2036
  package static let leSetExtendedAdvertisingData: UInt16 = 0x2037
  package static let leSetExtendedScanResponseData: UInt16 = 0x2038
}
