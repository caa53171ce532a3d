import Bluetooth
import PacketLog

/// Takes the keys out of what the two sides of a pairing tell each other, over the fixed channels of the
/// Security Manager; also where a frame is cut into fragments.
struct PairingMask {
  private struct Stream: Hashable {
    var controller: UInt16
    var handle: UInt16
    var isSent: Bool
  }

  /// On LE, and on BR/EDR (Core Specification, Vol 3, Part A, §2.1).
  private static let channels: Set<UInt16> = [0x0006, 0x0007]
  /// Handle and length of an ACL packet, length and channel of a frame.
  private static let frame = 4
  private static let payload = 8
  /// Continuation of a frame (Vol 4, Part E, §5.4.2).
  private static let continuation: UInt16 = 0b01

  /// How many octets of a secret frame are still to come.
  private var pending: [Stream: Int] = [:]
  /// Of these a frame was seen to begin. What continues a frame whose beginning was not may be a key.
  private var begun: Set<Stream> = []

  /// Messages were lost, and with them the beginnings of frames.
  mutating func loseMessages() {
    pending.removeAll()
    begun.removeAll()
  }

  mutating func mask(_ message: inout MonitorMessage) {
    let octets = message.packet
    let packet = octets.span.bytes
    guard let header = packet.uint16LE(at: 0) else { return }
    let stream = Stream(
      controller: message.controller, handle: header & 0x0FFF,
      isSent: message.opcode == MonitorOpcode.aclTransmit)
    let length = packet.byteCount - Self.frame
    if header >> 12 & 0b11 == Self.continuation {
      guard begun.contains(stream) else { return message.packet.overwrite(from: Self.frame) }
      guard let rest = pending.removeValue(forKey: stream) else { return }
      if rest > length { pending[stream] = rest - length }
      return message.packet.overwrite(from: Self.frame)
    }
    pending[stream] = nil
    begun.insert(stream)
    guard let frameLength = packet.uint16LE(at: Self.frame) else {
      // What continues this may be a key of whatever length, up to the next start.
      return pending[stream] = .max
    }
    let channel = packet.uint16LE(at: Self.frame + 2)
    // What is cut before it can be told from a key is taken for one.
    if let channel, !Self.channels.contains(channel) { return }
    let code = packet.uint8(at: Self.payload)
    if let code, !SecretFields.pairing.contains(code) { return }
    message.packet.overwrite(from: Self.payload + 1)
    let missing = Int(frameLength) + 4 - length
    if missing > 0 { pending[stream] = missing }
  }
}
