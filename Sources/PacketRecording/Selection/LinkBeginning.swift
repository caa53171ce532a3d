import Bluetooth
import PacketLog

/// The beginning of a link as it is recorded where what the controller told of it does not do.
///
/// A replay knows a strap by its identity. The controller told a private address, or the link stood before
/// the recording began; then what is recorded is what a controller would say that resolves addresses itself
/// (LE Enhanced Connection Complete, Core Specification, Vol 4, Part E, §7.7.65.10), after a note that says
/// so.
enum LinkBeginning {
  /// - Parameter told: What the controller said of it.
  static func messages(
    _ handle: UInt16, with identity: BluetoothAddress, told: MonitorMessage?, at time: ReceiptTime,
    controller: UInt16
  ) -> [MonitorMessage] {
    let connection = told.flatMap { Self.connection(in: $0) }
    if var told, connection?.peer == identity {
      told.time = time
      return [told]
    }
    let text =
      told == nil
      ? "the next event stands for a link that was there before the recording"
      : "the next event tells a link by its peer's identity, as the kernel knows it"
    return [
      note(text, controller: controller, at: time),
      MonitorMessage(
        opcode: MonitorOpcode.event, controller: controller, time: time,
        packet: HCIEventPacket.leEnhancedConnectionComplete(
          handle: handle, isPeripheral: connection?.isPeripheral ?? false, identity: identity,
          of: connection?.peer, parameters: parameters(in: told))),
    ]
  }

  /// What the log says of itself.
  static func note(_ text: String, controller: UInt16, at time: ReceiptTime) -> MonitorMessage {
    MonitorMessage(
      opcode: MonitorOpcode.systemNote, controller: controller, time: time,
      packet: Array("hrgate: \(text)".utf8) + [0])
  }

  private static func connection(in message: MonitorMessage) -> LEConnectionComplete? {
    LEConnectionComplete(message.packet.span.bytes.extracting(droppingFirst: 2))
  }

  /// Interval, latency, supervision timeout and clock accuracy, which LE Connection Complete ends with; zero
  /// where they are not known.
  private static func parameters(in told: MonitorMessage?) -> [UInt8] {
    let length = 7
    guard let packet = told?.packet, packet.count >= 2 + 12 + length else {
      return [UInt8](repeating: 0, count: length)
    }
    let isEnhanced = packet[2] != LESubevent.connectionComplete
    let start = 2 + 12 + (isEnhanced ? 12 : 0)
    guard packet.count >= start + length else { return [UInt8](repeating: 0, count: length) }
    return Array(packet[start..<start + length])
  }
}
