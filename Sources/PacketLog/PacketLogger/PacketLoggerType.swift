internal import Bluetooth

/// The record types of Apple PacketLogger.
enum PacketLoggerType {
  static let command: UInt8 = 0x00
  static let event: UInt8 = 0x01
  static let aclSent: UInt8 = 0x02
  static let aclReceived: UInt8 = 0x03
  static let synchronousSent: UInt8 = 0x08
  static let synchronousReceived: UInt8 = 0x09
  static let isochronousSent: UInt8 = 0x12
  static let isochronousReceived: UInt8 = 0x13
  /// Record types without HCI packets: link manager traces (0A, 0B) and messages of the system (F7 and
  /// above).
  private static let linkManager: ClosedRange<UInt8> = 0x0A...0x0B
  private static let system: ClosedRange<UInt8> = 0xF7...0xFF

  static func isKnown(_ type: UInt8) -> Bool {
    content(type) != .other || linkManager.contains(type) || system.contains(type)
  }

  static func content(_ type: UInt8) -> PacketLogRecord.Content {
    switch type {
    case command: .hci(.command, direction: .hostToController, controller: 0)
    case event: .hci(.event, direction: .controllerToHost, controller: 0)
    case aclSent: .hci(.aclData, direction: .hostToController, controller: 0)
    case aclReceived: .hci(.aclData, direction: .controllerToHost, controller: 0)
    case synchronousSent: .hci(.synchronousData, direction: .hostToController, controller: 0)
    case synchronousReceived: .hci(.synchronousData, direction: .controllerToHost, controller: 0)
    case isochronousSent: .hci(.isochronousData, direction: .hostToController, controller: 0)
    case isochronousReceived: .hci(.isochronousData, direction: .controllerToHost, controller: 0)
    default: .other
    }
  }
}
