import Bluetooth
import PacketLog

func packetLoggerRecord(
  type: UInt8, at microseconds: Int64, _ bytes: [UInt8], _ order: TestByteOrder = .little
) -> [UInt8] {
  let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
  var record = ByteWriter()
  record.append(UInt32(9 + bytes.count), order)
  record.append(UInt32(seconds), order)
  record.append(UInt32(fraction), order)
  record.append(type)
  record.append(bytes)
  return record.bytes
}

/// Returns the packets as an Apple PacketLogger file: version 1 is big-endian, and version 2 is
/// little-endian.
func packetLoggerLog(_ packets: [LoggedPacket], _ order: TestByteOrder = .little) -> [UInt8] {
  packets.flatMap { packet -> [UInt8] in
    guard case .hci(let type, let direction, _) = packet.content else { return [] }
    let isSent = direction == .hostToController
    let number: UInt8 =
      switch type {
      case .command: 0x00
      case .event: 0x01
      case .aclData: isSent ? 0x02 : 0x03
      case .synchronousData: isSent ? 0x08 : 0x09
      case .isochronousData: isSent ? 0x12 : 0x13
      }
    return packetLoggerRecord(type: number, at: packet.time.microsecondsSince1970, packet.bytes, order)
  }
}
