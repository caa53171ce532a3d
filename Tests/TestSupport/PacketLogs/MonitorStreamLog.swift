import Bluetooth
import PacketLog

/// Returns the opcode and controller of a record on the monitor channel; `nil` for content that the channel
/// does not support.
func monitorOpcode(_ content: PacketLogRecord.Content) -> (opcode: UInt16, controller: UInt16)? {
  switch content {
  case .hci(let type, let direction, let controller):
    let isSent = direction == .hostToController
    return switch type {
    case .command: (2, controller)
    case .event: (3, controller)
    case .aclData: (isSent ? 4 : 5, controller)
    case .synchronousData: (isSent ? 6 : 7, controller)
    case .isochronousData: (isSent ? 18 : 19, controller)
    }
  case .controllerReset(let controller): return (8, controller)
  case .other: return (12, 0xFFFF)
  case .linkLayer, .lost, .section: return nil
  }
}

/// Returns one message of the serial monitor stream.
func monitorMessage(opcode: UInt16, extended: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
  var message = ByteWriter()
  message.appendLE(UInt16(4 + extended.count + bytes.count))
  message.appendLE(opcode)
  message.append(0)
  message.append(UInt8(extended.count))
  message.append(extended)
  message.append(bytes)
  return message.bytes
}

/// Returns the extended header element with the time, in units of 100 µs.
func monitorTimestamp(_ ticks: UInt32) -> [UInt8] {
  var element = ByteWriter()
  element.append(8)
  element.appendLE(ticks)
  return element.bytes
}

/// Returns the packets as a serial monitor stream. A time in it is the lower 32 bits of the number of 100 µs
/// steps since 1970.
func monitorStreamLog(_ packets: [LoggedPacket]) -> [UInt8] {
  packets.flatMap { packet -> [UInt8] in
    guard let (opcode, _) = monitorOpcode(packet.content) else { return [] }
    let ticks = UInt32(truncatingIfNeeded: packet.time.microsecondsSince1970 / 100)
    return monitorMessage(opcode: opcode, extended: monitorTimestamp(ticks), packet.bytes)
  }
}
