import Bluetooth
import PacketLog

/// Removes keys from the pairing traffic on the Security Manager's channels, even if a frame is split into
/// several fragments.
struct PairingMask {
  private struct Stream: Hashable {
    var controller: UInt16
    var handle: UInt16
    var isSent: Bool
  }

  /// The Security Manager's channels for LE and for BR/EDR (Core Specification, Vol 3, Part A, §2.1).
  private static let channels: Set<UInt16> = [0x0006, 0x0007]
  /// The offsets of the frame and its payload in an ACL packet. The packet starts with handle and length, the
  /// frame with length and channel.
  private static let frame = 4
  private static let payload = 8
  /// The packet boundary flag of a fragment that continues a frame (Vol 4, Part E, §5.4.2).
  private static let continuation: UInt16 = 0b01

  /// The number of bytes still missing from a frame that contains a key.
  private var pending: [Stream: Int] = [:]
  /// The directions of connections for which the start of a frame was seen. Until then, fragments are masked,
  /// because they may continue a key.
  private var begun: Set<Stream> = []

  /// Forgets incomplete frames, because messages were lost.
  mutating func loseMessages() {
    pending.removeAll()
    begun.removeAll()
  }

  mutating func mask(_ message: inout MonitorMessage) {
    let original = message.packet
    let packet = original.span.bytes
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
      // The length of the frame is unknown, so mask all its fragments.
      return pending[stream] = .max
    }
    let channel = packet.uint16LE(at: Self.frame + 2)
    // If the fragment ends before the channel or the code, mask it, because it may be the start of a key.
    if let channel, !Self.channels.contains(channel) { return }
    let code = packet.uint8(at: Self.payload)
    if let code, !SecretFields.pairing.contains(code) { return }
    message.packet.overwrite(from: Self.payload + 1)
    let missing = Int(frameLength) + 4 - length
    if missing > 0 { pending[stream] = missing }
  }
}
