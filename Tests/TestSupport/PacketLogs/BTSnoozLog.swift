import Bluetooth
import Foundation
import PacketLog

/// Encodes packets as in an Android bug report.
///
/// - Parameters:
///   - version: Version 1 has no original length of truncated packets.
///   - kept: Maximum number of bytes that Android keeps of a packet.
func btsnoozLog(_ packets: [LoggedPacket], version: UInt8 = 2, kept: Int = .max) -> [UInt8] {
  var records = ByteWriter()
  var before = packets.first?.time.microsecondsSince1970 ?? 0
  for packet in packets {
    guard case .hci(let type, let direction, _) = packet.content else { continue }
    let isSent = direction == .hostToController
    let number: UInt8 =
      switch type {
      case .command: 0x20
      case .event: 0x10
      case .aclData: isSent ? 0x21 : 0x11
      case .synchronousData: isSent ? 0x22 : 0x12
      case .isochronousData: isSent ? 0x2D : 0x17
      }
    let bytes = packet.bytes.prefix(kept)
    records.appendLE(UInt16(bytes.count + 1))
    if version > 1 { records.appendLE(UInt16(packet.bytes.count + 1)) }
    records.appendLE(UInt32(packet.time.microsecondsSince1970 - before))
    records.append(number)
    records.append(bytes)
    before = packet.time.microsecondsSince1970
  }
  return btsnoozHeader(version: version, last: before) + zlibStored(records.bytes)
}

func btsnoozHeader(version: UInt8, last: Int64) -> [UInt8] {
  var header = ByteWriter()
  header.append(version)
  header.appendLE(last)
  return header.bytes
}

/// Encodes bytes in zlib's format without compression.
func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
  var packed = ByteWriter()
  packed.append([0x78, 0x01])
  let longest = 65_535
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(longest)
    rest = rest.dropFirst(longest)
    packed.append(rest.isEmpty ? 1 : 0)
    packed.appendLE(UInt16(block.count))
    packed.appendLE(~UInt16(block.count))
    packed.append(block)
  } while !rest.isEmpty
  var sums: (UInt32, UInt32) = (1, 0)
  for byte in bytes {
    sums.0 = (sums.0 + UInt32(byte)) % 65_521
    sums.1 = (sums.1 + sums.0) % 65_521
  }
  packed.appendBE(sums.1 << 16 | sums.0)
  return packed.bytes
}

/// Returns the text of a bug report that contains a compressed log.
func bugReport(_ packed: [UInt8]) -> [UInt8] {
  let text = """
    ========================================================
    == dumpstate: 2026-05-04 10:11:12
    Build: BP1A.250505.005 — naïve text, and --- of no meaning ---
    --- BEGIN:BTSNOOP_LOG_SUMMARY (\(packed.count) bytes in) ---
    \(Data(packed).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed]))
    --- END:BTSNOOP_LOG_SUMMARY ---
    and more
    """
  return Array(text.utf8)
}
