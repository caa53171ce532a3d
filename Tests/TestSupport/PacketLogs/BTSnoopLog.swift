import Bluetooth
import PacketLog

/// Builds a btsnoop file of any datalink from its fields, independently of the writer under test.
func btsnoopLog(datalink: UInt32, _ records: [UInt8]...) -> [UInt8] {
  var log = ByteWriter()
  log.append("btsnoop\0".utf8)
  log.appendBE(UInt32(1))
  log.appendBE(datalink)
  for record in records { log.append(record) }
  return log.bytes
}

func btsnoopRecord(
  flags: UInt32, drops: UInt32 = 0, at microseconds: Int64 = 0, _ bytes: [UInt8], originalLength: Int? = nil
) -> [UInt8] {
  var record = ByteWriter()
  record.appendBE(UInt32(originalLength ?? bytes.count))
  record.appendBE(UInt32(bytes.count))
  record.appendBE(flags)
  record.appendBE(drops)
  record.appendBE(microseconds &+ 0x00DC_DDB3_0F2F_8000)
  record.append(bytes)
  return record.bytes
}

/// Returns the packets as a btsnoop file with UART packet indicators (datalink 1002).
func btsnoopH4Log(_ packets: [LoggedPacket]) -> [UInt8] {
  var log = btsnoopLog(datalink: 1002)
  for packet in packets {
    guard case .hci(let type, let direction, _) = packet.content else { continue }
    let received: UInt32 = direction == .controllerToHost ? 1 : 0
    let isCommandOrEvent: UInt32 = type == .command || type == .event ? 2 : 0
    log += btsnoopRecord(
      flags: received | isCommandOrEvent, at: packet.time.microsecondsSince1970,
      [type.rawValue] + packet.bytes,
      originalLength: packet.originalLength.map { $0 + 1 })
  }
  return log
}

/// Returns the packets as a btsnoop file without packet indicators (datalink 1001). It can contain only
/// commands, events and ACL data.
func btsnoopH1Log(_ packets: [LoggedPacket]) -> [UInt8] {
  var log = btsnoopLog(datalink: 1001)
  for packet in packets {
    guard case .hci(let type, let direction, _) = packet.content else { continue }
    let received: UInt32 = direction == .controllerToHost ? 1 : 0
    let isCommandOrEvent: UInt32 = type == .aclData ? 0 : 2
    log += btsnoopRecord(
      flags: received | isCommandOrEvent, at: packet.time.microsecondsSince1970, packet.bytes,
      originalLength: packet.originalLength)
  }
  return log
}

/// Returns the packets as a btsnoop file of the monitor channel (datalink 2001).
func btsnoopMonitorLog(_ packets: [LoggedPacket]) -> [UInt8] {
  var log = btsnoopLog(datalink: 2001)
  for packet in packets {
    guard let (opcode, controller) = monitorOpcode(packet.content) else { continue }
    log += btsnoopRecord(
      flags: UInt32(controller) << 16 | UInt32(opcode), at: packet.time.microsecondsSince1970, packet.bytes,
      originalLength: packet.originalLength)
  }
  return log
}
