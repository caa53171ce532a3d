import Bluetooth
import PacketLog

/// Builds a pcapng block of any type. The body is padded to four bytes.
func pcapngBlock(_ type: UInt32, _ body: [UInt8], _ order: TestByteOrder = .little) -> [UInt8] {
  let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
  var block = ByteWriter()
  block.append(type, order)
  block.append(UInt32(12 + padded.count), order)
  block.append(padded)
  block.append(UInt32(12 + padded.count), order)
  return block.bytes
}

func pcapngSection(_ order: TestByteOrder = .little) -> [UInt8] {
  var body = ByteWriter()
  body.append(UInt32(0x1A2B_3C4D), order)
  body.append(UInt16(1), order)
  body.append(UInt16(0), order)
  body.append(Int64(-1), order)
  return pcapngBlock(0x0A0D_0D0A, body.bytes, order)
}

/// Builds an option of a block. The value is padded to four bytes.
func pcapngOption(_ code: UInt16, _ value: [UInt8], _ order: TestByteOrder = .little) -> [UInt8] {
  var option = ByteWriter()
  option.append(code, order)
  option.append(UInt16(value.count), order)
  option.append(value)
  option.append([UInt8](repeating: 0, count: (4 - value.count % 4) % 4))
  return option.bytes
}

func pcapngInterface(
  linkType: UInt32, name: String? = nil, resolution: UInt8? = nil, offsetSeconds: Int64? = nil,
  snapLength: UInt32 = 0, _ order: TestByteOrder = .little
) -> [UInt8] {
  var body = ByteWriter()
  body.append(UInt16(linkType), order)
  body.append(UInt16(0), order)
  body.append(snapLength, order)
  if let name { body.append(pcapngOption(2, Array(name.utf8), order)) }
  if let resolution { body.append(pcapngOption(9, [resolution], order)) }
  if let offsetSeconds {
    var value = ByteWriter()
    value.append(offsetSeconds, order)
    body.append(pcapngOption(14, value.bytes, order))
  }
  body.append(pcapngOption(0, [], order))
  return pcapngBlock(1, body.bytes, order)
}

func pcapngEnhancedPacket(
  interface: UInt32 = 0, timestamp: UInt64, _ bytes: [UInt8], originalLength: Int? = nil,
  options: [UInt8] = [],
  _ order: TestByteOrder = .little
) -> [UInt8] {
  var body = ByteWriter()
  body.append(interface, order)
  body.append(UInt32(timestamp >> 32), order)
  body.append(UInt32(truncatingIfNeeded: timestamp), order)
  body.append(UInt32(bytes.count), order)
  body.append(UInt32(originalLength ?? bytes.count), order)
  body.append(bytes)
  if !options.isEmpty {
    body.append([UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4))
    body.append(options)
  }
  return pcapngBlock(6, body.bytes, order)
}

/// Builds enhanced packet blocks of one interface.
func pcapngPackets(
  _ packets: [LoggedPacket], interface: UInt32 = 0, linkType: UInt32, _ order: TestByteOrder = .little
) -> [UInt8] {
  packets.flatMap { packet -> [UInt8] in
    guard let frame = linkTypeFrame(packet, linkType: linkType) else { return [] }
    return pcapngEnhancedPacket(
      interface: interface, timestamp: UInt64(bitPattern: packet.time.microsecondsSince1970), frame,
      originalLength: originalLength(of: packet, frame, linkType: linkType), order)
  }
}

/// Returns the packets as one pcapng section with one interface, whose times are in microseconds.
func pcapngLog(_ packets: [LoggedPacket], linkType: UInt32, _ order: TestByteOrder = .little) -> [UInt8] {
  pcapngSection(order) + pcapngInterface(linkType: linkType, order)
    + pcapngPackets(packets, linkType: linkType, order)
}
