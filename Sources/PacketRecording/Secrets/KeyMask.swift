import Bluetooth
import PacketLog

/// Removes keys from recorded packets by overwriting them with zeros. Packets keep their lengths.
///
/// With the keys of a bond, an attacker could impersonate the strap or decrypt its traffic. A replay does not
/// need the keys, because the monitor channel delivers decrypted packets.
struct KeyMask {
  private var pairing = PairingMask()

  mutating func mask(_ message: inout MonitorMessage) {
    switch message.opcode {
    case MonitorOpcode.command: Self.maskCommand(&message.packet)
    case MonitorOpcode.event: Self.maskEvent(&message.packet)
    case MonitorOpcode.aclTransmit, MonitorOpcode.aclReceive: pairing.mask(&message)
    case MonitorOpcode.controlCommand: Self.maskControl(&message.packet, SecretFields.controlCommands)
    case MonitorOpcode.controlEvent: Self.maskControlEvent(&message.packet)
    default: break
    }
  }

  /// Forgets incomplete frames, because messages were lost.
  mutating func loseMessages() { pairing.loseMessages() }

  private static func maskCommand(_ packet: inout [UInt8]) {
    let parameters = 3
    guard let opcode = packet.span.bytes.uint16LE(at: 0), let secret = SecretFields.commands[opcode] else {
      return
    }
    packet.overwrite(from: parameters + secret)
  }

  private static func maskEvent(_ packet: inout [UInt8]) {
    let parameters = 2
    guard let code = packet.first else { return }
    if let secret = SecretFields.events[code] { return packet.overwrite(from: parameters + secret) }
    switch (code, packet.dropFirst(parameters).first) {
    case (SecretFields.leMeta, .some(let subevent)):
      if let secret = SecretFields.subevents[subevent] { packet.overwrite(from: parameters + secret) }
    case (SecretFields.commandComplete, _):
      if let command = packet.span.bytes.uint16LE(at: parameters + 1), SecretFields.answers.contains(command)
      {
        packet.overwrite(from: parameters + 4)
      }
    default: break
    }
  }

  /// The offset of the parameters in a management command or event.
  private static let controlParameters = 6

  private static func maskControl(_ packet: inout [UInt8], _ secret: Set<UInt16>) {
    guard let number = packet.span.bytes.uint16LE(at: 4), secret.contains(number) else { return }
    packet.overwrite(from: controlParameters)
  }

  private static func maskControlEvent(_ packet: inout [UInt8]) {
    maskControl(&packet, SecretFields.controlEvents)
    let commandComplete: UInt16 = 0x0001
    if packet.span.bytes.uint16LE(at: 4) == commandComplete,
      let command = packet.span.bytes.uint16LE(at: controlParameters),
      SecretFields.controlAnswers.contains(command)
    {
      packet.overwrite(from: controlParameters + 2)
    }
  }
}

extension [UInt8] {
  /// Overwrites the bytes from an offset to the end with zeros.
  mutating func overwrite(from start: Int) {
    guard start < count else { return }
    replaceSubrange(start..., with: repeatElement(0, count: count - start))
  }
}
