import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

/// Removal of the headers and trailers that sniffers add to link-layer packets (link types 251, 256 and 272).
struct LinkLayerFramingTests {
  private static let data = SamplePackets.dataAddress
  private static let advertising = SamplePackets.advertisingAddress
  private static let crc: [UInt8] = [0xC1, 0xC2, 0xC3]

  private func read(_ linkType: UInt32, _ bytes: [UInt8], originalLength: Int? = nil) -> LoggedPacket? {
    RecordedLog(pcapHeader(linkType: linkType) + pcapRecord(0, 0, bytes, originalLength: originalLength))
      .packets.first
  }

  private func pseudoHeader(_ flags: UInt16) -> [UInt8] {
    [37, 0xB0, 0, 0, 0, 0, 0, 0, UInt8(flags & 0xFF), UInt8(flags >> 8)]
  }

  @Test func `without a header the CRC is left to the consumer`() {
    let bytes = Self.data + [0x02, 0x01, 0x55] + Self.crc
    #expect(read(251, bytes) == LoggedPacket(SamplePackets.air(.unknown, nil), at: 0, bytes))
  }

  @Test func `a checked CRC is removed`() {
    let pdu = Self.data + [0x02, 0x01, 0x55]
    let cases: [(UInt16, PacketLogRecord.Content, [UInt8])] = [
      (0x0001, SamplePackets.air(.unknown, nil), pdu + Self.crc),
      (0x0801, SamplePackets.air(.unknown, nil), pdu + Self.crc),
      (0x0401, SamplePackets.air(.invalid, nil), pdu),
      (0x0C01, SamplePackets.air(.valid, nil), pdu),
      (0x0D01, SamplePackets.air(.valid, .central), pdu),
      (0x0D89, SamplePackets.air(.valid, .peripheral, isDecrypted: true), pdu),
      (0x0C81, SamplePackets.air(.valid, nil), pdu),
    ]
    for (flags, content, bytes) in cases {
      #expect(read(256, pseudoHeader(flags) + pdu + Self.crc) == LoggedPacket(content, at: 0, bytes))
    }
  }

  @Test(arguments: [0x0C00, 0x0E01, 0x0E81, 0x0F01] as [UInt16])
  func `whitened and isochronous packets are of type other`(_ flags: UInt16) {
    #expect(read(256, pseudoHeader(flags) + Self.data + [0, 0] + Self.crc)?.content == .other)
  }

  @Test func `the coding indicator of the coded PHY is removed`() {
    let packet = pseudoHeader(0x8D01) + Self.data + [0x01] + [0x02, 0x01, 0x55] + Self.crc
    #expect(
      read(256, packet)
        == LoggedPacket(SamplePackets.air(.valid, .central), at: 0, Self.data + [0x02, 0x01, 0x55]))
  }

  @Test func `a truncated packet loses only the part of the CRC that it has`() {
    let pdu = Self.data + [0x02, 0x04, 1, 2, 3, 4]
    let whole = pseudoHeader(0x0D01) + pdu + Self.crc
    for kept in whole.count - 5...whole.count {
      let expected = Array(pdu.prefix(kept - 10))
      #expect(read(256, Array(whole.prefix(kept)), originalLength: whole.count)?.bytes == expected)
    }
  }

  // MARK: - Nordic's sniffer

  private struct NordicMessage {
    var version: UInt8 = 3
    var id: UInt8 = 6
    var flags: UInt8 = 0x01

    func bytes(_ packet: [UInt8]) -> [UInt8] {
      let reception: [UInt8] = [flags, 12, 60, 0x34, 0x12, 1, 2, 3, 4]
      let payload = UInt8(10 + packet.count)
      return switch version {
      case 0: [0xBE, 0xEF, id, 0x01, 0x00, 0x00, 0x00, payload] + reception + packet
      case 1: [0x0F, 6, payload, 1, 0x01, 0x00, id, 10] + reception + packet
      default: [0x0F, payload, 0, version, 0x01, 0x00, id, 10] + reception + packet
      }
    }
  }

  @Test(arguments: [0, 1, 2, 3] as [UInt8])
  func `each version of the sniffer is supported`(_ version: UInt8) {
    let pdu = Self.data + [0x02, 0x02, 0x55, 0x56]
    for (flags, content) in [
      (0x01, SamplePackets.air(.valid, .peripheral)), (0x03, SamplePackets.air(.valid, .central)),
      (0x02, SamplePackets.air(.invalid, .central)),
      (0x0D, SamplePackets.air(.valid, .peripheral, isDecrypted: true)),
      (0x05, SamplePackets.air(.valid, .peripheral)),
    ] as [(UInt8, PacketLogRecord.Content)] {
      let message = NordicMessage(version: version, flags: flags).bytes(pdu + Self.crc)
      #expect(read(272, message) == LoggedPacket(content, at: 0, pdu))
    }
  }

  @Test(arguments: [0, 1, 2, 3] as [UInt8])
  func `advertisements have no sender in a connection`(_ version: UInt8) {
    let pdu = Self.advertising + [0x40, 0x01, 0x55]
    let message = NordicMessage(version: version, id: version == 3 ? 2 : 6).bytes(pdu + Self.crc)
    #expect(read(272, message) == LoggedPacket(SamplePackets.air(.valid, nil), at: 0, pdu))
  }

  @Test(arguments: [0, 1, 2, 3] as [UInt8])
  func `the padding byte of old sniffers is removed`(_ version: UInt8) {
    let message = NordicMessage(version: version).bytes(
      Self.data + [0x02, 0x02, 0x00, 0x55, 0x56] + Self.crc)
    #expect(read(272, message)?.bytes == Self.data + [0x02, 0x02, 0x55, 0x56])
  }

  @Test func `padding and the coding indicator are removed together`() {
    let message = NordicMessage(flags: 0x21).bytes(
      Self.data + [0x00] + [0x02, 0x02, 0x99, 0x55, 0x56] + Self.crc)
    #expect(read(272, message)?.bytes == Self.data + [0x02, 0x02, 0x55, 0x56])
  }

  @Test func `a CTE info byte is not padding`() {
    let pdu = Self.data + [0x22, 0x02, 0x14, 0x55, 0x56]
    #expect(read(272, NordicMessage().bytes(pdu + Self.crc))?.bytes == pdu)
  }

  @Test(arguments: [0x00, 0x01, 0x05, 0x09, 0x0E] as [UInt8])
  func `messages without a packet are of type other`(_ id: UInt8) {
    #expect(read(272, NordicMessage(id: id).bytes(Self.data + [0, 0] + Self.crc))?.content == .other)
  }
}
