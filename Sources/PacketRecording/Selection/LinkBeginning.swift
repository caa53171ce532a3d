import Bluetooth
import PacketLog

/// Creates a connection event for the log if the controller's own event does not identify the strap.
///
/// A replay needs the identity address of a strap. If the controller reported a private address, or the
/// connection is older than the recording, a different event is written: LE Enhanced Connection Complete
/// (Core Specification, Vol 4, Part E, §7.7.65.10), which a controller sends if it resolves addresses. A text
/// message before it explains this.
enum LinkBeginning {
  /// Returns the messages to record for a connection.
  /// - Parameter controllerEvent: The controller's connection event; `nil` if there was none.
  static func messages(
    _ handle: UInt16, with identity: BluetoothAddress, controllerEvent: MonitorMessage?, at time: ReceiptTime,
    controller: UInt16
  ) -> [MonitorMessage] {
    let connection = controllerEvent.flatMap { Self.connection(in: $0) }
    if var controllerEvent, connection?.peer == identity {
      controllerEvent.time = time
      return [controllerEvent]
    }
    let text =
      controllerEvent == nil
      ? "the next event reports a link that was open before the recording"
      : "the next event has the identity address of the peer, as the kernel knows it"
    return [
      note(text, controller: controller, at: time),
      MonitorMessage(
        opcode: MonitorOpcode.event, controller: controller, time: time,
        packet: HCIEventPacket.leEnhancedConnectionComplete(
          handle: handle, isPeripheral: connection?.isPeripheral ?? false, identity: identity,
          of: connection?.peer, parameters: parameters(in: controllerEvent))),
    ]
  }

  /// Returns a text message from the recorder to human readers of the log.
  static func note(_ text: String, controller: UInt16, at time: ReceiptTime) -> MonitorMessage {
    MonitorMessage(
      opcode: MonitorOpcode.systemNote, controller: controller, time: time,
      packet: Array("hrgate: \(text)".utf8) + [0])
  }

  private static func connection(in message: MonitorMessage) -> LEConnectionComplete? {
    LEConnectionComplete(message.packet.span.bytes.extracting(droppingFirst: 2))
  }

  /// Returns the last parameters of LE Connection Complete (interval, latency, supervision timeout and clock
  /// accuracy), or zeros if they are unknown.
  private static func parameters(in controllerEvent: MonitorMessage?) -> [UInt8] {
    let length = 7
    guard let packet = controllerEvent?.packet, packet.count >= 2 + 12 + length else {
      return [UInt8](repeating: 0, count: length)
    }
    let isEnhanced = packet[2] != LESubevent.connectionComplete
    let start = 2 + 12 + (isEnhanced ? 12 : 0)
    guard packet.count >= start + length else { return [UInt8](repeating: 0, count: length) }
    return Array(packet[start..<start + length])
  }
}
