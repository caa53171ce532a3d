import Bluetooth
import PacketLog

/// The byte order of a test file.
enum TestByteOrder: CaseIterable {
  case little
  case big
}

extension ByteWriter {
  mutating func append(_ value: some FixedWidthInteger, _ order: TestByteOrder) {
    if order == .little { appendLE(value) } else { appendBE(value) }
  }
}

/// Returns the packet's bytes after the headers of a link type; `nil` for content that the link type does not
/// support.
func linkTypeFrame(_ packet: LoggedPacket, linkType: UInt32) -> [UInt8]? {
  var frame = ByteWriter()
  switch (linkType, packet.content) {
  case (187, .hci(let type, _, _)):
    frame.append(type.rawValue)
  case (201, .hci(let type, let direction, _)):
    frame.appendBE(UInt32(direction == .controllerToHost ? 1 : 0))
    frame.append(type.rawValue)
  case (254, let content):
    guard let (opcode, controller) = monitorOpcode(content) else { return nil }
    frame.appendBE(controller)
    frame.appendBE(opcode)
  case (251, .linkLayer):
    break
  case (256, .linkLayer(let reception)):
    frame.append([0, 0, 0, 0, 0, 0, 0, 0])
    frame.appendLE(linkLayerFlags(reception))
  default:
    return nil
  }
  frame.append(packet.bytes)
  if hasCRC(packet, linkType), packet.originalLength == nil { frame.append([0xC1, 0xC2, 0xC3]) }
  return frame.bytes
}

/// Whether the packet ends with a CRC. A truncated packet has none.
private func hasCRC(_ packet: LoggedPacket, _ linkType: UInt32) -> Bool {
  if linkType == 256, case .linkLayer(let reception) = packet.content { return reception.crc != .unknown }
  return false
}

/// Returns the length of a packet's frame before the recorder truncated it.
func originalLength(of packet: LoggedPacket, _ frame: [UInt8], linkType: UInt32) -> Int? {
  packet.originalLength.map { $0 + frame.count - packet.bytes.count + (hasCRC(packet, linkType) ? 3 : 0) }
}

/// Returns the flags of link type 256: dewhitened, PDU type, CRC result, decryption.
private func linkLayerFlags(_ reception: LinkLayerReception) -> UInt16 {
  var flags: UInt16 = 0x0001
  if reception.isDecrypted { flags |= 0x0008 }
  switch reception.sender {
  case .central: flags |= 2 << 7
  case .peripheral: flags |= 3 << 7
  case nil: break
  }
  switch reception.crc {
  case .unknown: break
  case .valid: flags |= 0x0C00
  case .invalid: flags |= 0x0400
  }
  return flags
}

/// Returns a packet with a header of link type 192, which contains the packet's own link type.
func perPacketFrame(linkType: UInt32, fields: [UInt8] = [], _ bytes: [UInt8]) -> [UInt8] {
  var frame = ByteWriter()
  frame.append([0, 0])
  frame.appendLE(UInt16(8 + fields.count))
  frame.appendLE(linkType)
  frame.append(fields)
  frame.append(bytes)
  return frame.bytes
}

func pcapHeader(linkType: UInt32, _ order: TestByteOrder = .little, nanoseconds: Bool = false) -> [UInt8] {
  var log = ByteWriter()
  log.append(UInt32(nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4), order)
  log.append(UInt16(2), order)
  log.append(UInt16(4), order)
  log.append(UInt32(0), order)
  log.append(UInt32(0), order)
  log.append(UInt32(262_144), order)
  log.append(linkType, order)
  return log.bytes
}

func pcapRecord(
  _ seconds: UInt32, _ fraction: UInt32, _ bytes: [UInt8], originalLength: Int? = nil,
  _ order: TestByteOrder = .little
) -> [UInt8] {
  var record = ByteWriter()
  record.append(seconds, order)
  record.append(fraction, order)
  record.append(UInt32(bytes.count), order)
  record.append(UInt32(originalLength ?? bytes.count), order)
  record.append(bytes)
  return record.bytes
}

/// Returns the packets as a pcap file, without packets that the link type does not support.
func pcapLog(
  _ packets: [LoggedPacket], linkType: UInt32, _ order: TestByteOrder = .little, nanoseconds: Bool = false
) -> [UInt8] {
  var log = pcapHeader(linkType: linkType, order, nanoseconds: nanoseconds)
  for packet in packets {
    guard let frame = linkTypeFrame(packet, linkType: linkType) else { continue }
    let (seconds, microseconds) = packet.time.microsecondsSince1970.quotientAndRemainder(
      dividingBy: 1_000_000)
    log += pcapRecord(
      UInt32(seconds), UInt32(microseconds) * (nanoseconds ? 1000 : 1), frame,
      originalLength: originalLength(of: packet, frame, linkType: linkType), order)
  }
  return log
}
