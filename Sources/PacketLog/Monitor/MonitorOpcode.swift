internal import Bluetooth

/// The record types of the Linux Bluetooth monitor protocol. btsnoop logs (datalink 2001), pcap logs (link
/// type 254), and the serial stream use the same types.
package enum MonitorOpcode {
  package static let newIndex: UInt16 = 0
  package static let deleteIndex: UInt16 = 1
  package static let command: UInt16 = 2
  package static let event: UInt16 = 3
  package static let aclTransmit: UInt16 = 4
  package static let aclReceive: UInt16 = 5
  package static let synchronousTransmit: UInt16 = 6
  package static let synchronousReceive: UInt16 = 7
  package static let openIndex: UInt16 = 8
  package static let closeIndex: UInt16 = 9
  package static let indexInformation: UInt16 = 10
  /// A text message from the kernel.
  package static let systemNote: UInt16 = 12
  /// Commands and events of the kernel's Bluetooth management interface (Linux, `mgmt.h`).
  package static let controlCommand: UInt16 = 16
  package static let controlEvent: UInt16 = 17
  package static let isochronousTransmit: UInt16 = 18
  package static let isochronousReceive: UInt16 = 19

  /// The highest number assigned by the protocol.
  package static let highest = isochronousReceive

  @inline(__always)
  static func content(_ opcode: UInt16, controller: UInt16) -> PacketLogRecord.Content {
    switch opcode {
    case command: .hci(.command, direction: .hostToController, controller: controller)
    case event: .hci(.event, direction: .controllerToHost, controller: controller)
    case aclTransmit: .hci(.aclData, direction: .hostToController, controller: controller)
    case aclReceive: .hci(.aclData, direction: .controllerToHost, controller: controller)
    case synchronousTransmit: .hci(.synchronousData, direction: .hostToController, controller: controller)
    case synchronousReceive: .hci(.synchronousData, direction: .controllerToHost, controller: controller)
    case isochronousTransmit: .hci(.isochronousData, direction: .hostToController, controller: controller)
    case isochronousReceive: .hci(.isochronousData, direction: .controllerToHost, controller: controller)
    case newIndex, deleteIndex, openIndex, closeIndex: .controllerReset(controller)
    default: .other
    }
  }

  /// Returns the opcode of a packet type and direction. The direction is ignored for commands and events.
  static func of(_ type: HCIPacketType, _ direction: HCIDirection) -> UInt16 {
    let isSent = direction == .hostToController
    return switch type {
    case .command: command
    case .event: event
    case .aclData: isSent ? aclTransmit : aclReceive
    case .synchronousData: isSent ? synchronousTransmit : synchronousReceive
    case .isochronousData: isSent ? isochronousTransmit : isochronousReceive
    }
  }
}
