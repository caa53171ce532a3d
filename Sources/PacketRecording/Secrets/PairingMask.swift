import Bluetooth
import PacketLog

/// Removes keys from pairing traffic on the fixed channels of the Security Manager, including fragmented
/// frames.
struct PairingMask {
  private struct Stream: Hashable {
    var controller: UInt16
    var handle: UInt16
    var isSent: Bool
  }

  /// The channels for LE and for BR/EDR (Core Specification, Vol 3, Part A, §2.1).
  private static let channels: Set<UInt16> = [0x0006, 0x0007]
  /// Offsets of the frame and its payload. An ACL packet starts with handle and length, and a frame with
  /// length and channel.
  private static let frame = 4
  private static let payload = 8
  /// Packet boundary flag of a continuing fragment (Vol 4, Part E, §5.4.2).
  private static let continuation: UInt16 = 0b01

  /// Number of bytes of a secret frame that are still to come.
  private var pending: [Stream: Int] = [:]
  /// Streams for which the start of a frame was seen. Other fragments may continue a key, so they are masked.
  private var begun: Set<Stream> = []

  /// Forgets partial frames after messages were lost.
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
      // The frame length is unknown, so mask all fragments up to the next start.
      return pending[stream] = .max
    }
    let channel = packet.uint16LE(at: Self.frame + 2)
    // A fragment that is too short to rule out a key is treated as one.
    if let channel, !Self.channels.contains(channel) { return }
    let code = packet.uint8(at: Self.payload)
    if let code, !SecretFields.pairing.contains(code) { return }
    message.packet.overwrite(from: Self.payload + 1)
    let missing = Int(frameLength) + 4 - length
    if missing > 0 { pending[stream] = missing }
  }
}
