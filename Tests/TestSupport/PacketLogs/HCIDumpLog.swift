import Bluetooth
import PacketLog

func hciDumpRecord(isReceived: Bool, at microseconds: Int64, _ bytes: [UInt8]) -> [UInt8] {
  let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
  var record = ByteWriter()
  record.appendLE(UInt16(bytes.count))
  record.append(isReceived ? 1 : 0)
  record.append(0)
  record.appendLE(UInt32(seconds))
  record.appendLE(UInt32(fraction))
  record.append(bytes)
  return record.bytes
}

/// Returns the packets in the format that hcidump wrote before it supported btsnoop.
func hciDumpLog(_ packets: [LoggedPacket]) -> [UInt8] {
  packets.flatMap { packet -> [UInt8] in
    guard case .hci(let type, let direction, _) = packet.content else { return [] }
    return hciDumpRecord(
      isReceived: direction == .controllerToHost, at: packet.time.microsecondsSince1970,
      [type.rawValue] + packet.bytes)
  }
}
