import Bluetooth

@testable import PacketLog
@testable import PacketRecording

extension BluetoothAddress {
  static let stranger = BluetoothAddress(bits: 0xF00D_BEA7_0202, kind: .random)
  /// A resolvable private address.
  static let hidden = BluetoothAddress(bits: 0x7A28_F840_0303, kind: .random)
}

extension MonitorMessage {
  static func event(_ packet: [UInt8], at time: Int64 = 1) -> MonitorMessage {
    MonitorMessage(
      opcode: MonitorOpcode.event, controller: 0, time: ReceiptTime(microsecondsSince1970: time),
      packet: packet)
  }

  static func command(_ packet: [UInt8]) -> MonitorMessage {
    MonitorMessage(
      opcode: MonitorOpcode.command, controller: 0, time: ReceiptTime(microsecondsSince1970: 1),
      packet: packet)
  }

  /// A Heart Rate Measurement of 60/min with handle 16.
  static func notification(on handle: UInt16, at time: Int64 = 1) -> MonitorMessage {
    acl(ACLPacket.attribute([0x1B, 0x10, 0x00, 0x00, 0x3C], on: handle, .controllerToHost), at: time)
  }

  static func acl(_ packet: [UInt8], isSent: Bool = false, at time: Int64 = 1) -> MonitorMessage {
    MonitorMessage(
      opcode: isSent ? MonitorOpcode.aclTransmit : MonitorOpcode.aclReceive, controller: 0,
      time: ReceiptTime(microsecondsSince1970: time), packet: packet)
  }

  static func connected(_ handle: UInt16, to peer: BluetoothAddress, at time: Int64 = 1) -> MonitorMessage {
    event(
      HCIEventPacket.leConnectionComplete(handle: handle, peer: peer, interval: 24, supervisionTimeout: 42),
      at: time)
  }

  static func disconnected(_ handle: UInt16) -> MonitorMessage {
    event(HCIEventPacket.disconnectionComplete(handle: handle, reason: 0x08))
  }

  static func presence(_ opcode: UInt16) -> MonitorMessage {
    let time = ReceiptTime(microsecondsSince1970: 1)
    let packet = opcode == MonitorOpcode.newIndex ? [UInt8](repeating: 1, count: 16) : []
    return MonitorMessage(opcode: opcode, controller: 0, time: time, packet: packet)
  }
}
