import Bluetooth

/// One message of the kernel's monitor channel: what a record of a btsnoop 2001 log is made of.
struct MonitorMessage: Hashable {
  /// Opcode, controller and length, u16 each, little-endian (Linux, `struct hci_mon_hdr`).
  static let headerLength = 6

  /// As `MonitorOpcode` names it.
  var opcode: UInt16
  var controller: UInt16
  /// When the kernel got the packet.
  var time: ReceiptTime
  var packet: [UInt8]

  init(opcode: UInt16, controller: UInt16, time: ReceiptTime, packet: [UInt8]) {
    self.opcode = opcode
    self.controller = controller
    self.time = time
    self.packet = packet
  }

  /// - Parameter datagram: With its header.
  /// - Returns: `nil` for one that is shorter than its header or than that says.
  init?(datagram: RawSpan, time: ReceiptTime) {
    guard let opcode = datagram.uint16LE(at: 0), let controller = datagram.uint16LE(at: 2),
      let length = datagram.uint16LE(at: 4), datagram.byteCount >= Self.headerLength + Int(length)
    else { return nil }
    self.init(
      opcode: opcode, controller: controller, time: time,
      packet: datagram.extracting(Self.headerLength..<Self.headerLength + Int(length)).copiedBytes())
  }
}
