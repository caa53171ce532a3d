import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

struct PCAPReaderTests {
  @Test func `nanoseconds are rounded down`() {
    let log = RecordedLog(
      pcapHeader(linkType: 187, nanoseconds: true) + pcapRecord(3, 1999, [1]) + pcapRecord(3, 999, [1]))
    #expect(log.entries.map(\.record.time.microsecondsSince1970) == [3_000_001, 3_000_000])
  }

  @Test func `any time is accepted`() {
    let log = RecordedLog(pcapHeader(linkType: 187) + pcapRecord(.max, .max, [1]))
    #expect(log.entries.count == 1 && log.damage == nil)
  }

  @Test(arguments: [UInt32(1), 113, 255, 0])
  func `errors name other link types`(_ linkType: UInt32) {
    #expect(
      RecordedLog(pcapHeader(linkType: linkType)).damage
        == PacketLogError(.unsupportedDatalink(linkType), offset: 20))
  }

  @Test func `frame check bits of the network field do not matter`() {
    let log = RecordedLog(pcapHeader(linkType: 0xF400_0000 | 187) + pcapRecord(0, 0, [1]))
    #expect(log.contents == [.command()])
  }

  @Test func `an absurd length ends the log at its record`() {
    var record = pcapRecord(0, 0, [1])
    record.replaceSubrange(8..<12, with: [0x01, 0x00, 0x04, 0x00])
    let log = RecordedLog(pcapHeader(linkType: 187) + pcapRecord(0, 0, [1]) + record)
    #expect(log.entries.count == 1)
    #expect(log.damage == PacketLogError(.absurdLength(262_145), offset: 41))
  }

  @Test func `a header without records is a valid log`() {
    let log = RecordedLog(pcapHeader(linkType: 251, .big))
    #expect(log.entries.isEmpty && log.damage == nil)
  }

  @Test(arguments: [187, 201, 254, 251, 256, 272] as [UInt32])
  func `packets shorter than their headers are of type other`(_ linkType: UInt32) {
    for length in 0..<24 {
      let log = RecordedLog(
        pcapHeader(linkType: linkType) + pcapRecord(0, 0, [UInt8](repeating: 0xEE, count: length)))
      #expect(log.entries.count == 1 && log.damage == nil)
      if linkType != 251 && linkType != 254 { #expect(log.contents == [.other]) }
    }
    #expect(RecordedLog(pcapHeader(linkType: linkType) + pcapRecord(0, 0, [])).contents == [.other])
  }
}

/// The direction word of link type 201. Its specification says the opposite of what programs write.
struct DirectionWordTests {
  private func packet(_ bit: UInt8, _ type: UInt8) -> [UInt8] {
    pcapRecord(0, 0, [0, 0, 0, bit, type, 0xAB])
  }

  @Test func `in practice a set bit means from the controller`() {
    let log = RecordedLog(pcapHeader(linkType: 201) + packet(0, 2) + packet(1, 2))
    #expect(log.contents == [.aclSent(), .aclReceived()])
  }

  @Test func `a command with the bit set inverts the meaning`() {
    let log = RecordedLog(pcapHeader(linkType: 201) + packet(1, 1) + packet(1, 2) + packet(0, 2))
    #expect(log.contents == [.command(), .aclSent(), .aclReceived()])
  }

  @Test func `an event with the bit clear inverts the meaning`() {
    let log = RecordedLog(pcapHeader(linkType: 201) + packet(0, 4) + packet(0, 2) + packet(1, 2))
    #expect(log.contents == [.event(), .aclReceived(), .aclSent()])
  }

  @Test func `one wrong bit among many does not invert the meaning`() {
    let log = RecordedLog(
      pcapHeader(linkType: 201) + packet(0, 1) + packet(1, 4) + packet(0, 1) + packet(1, 1) + packet(1, 2))
    #expect(log.contents == [.command(), .event(), .command(), .command(), .aclReceived()])
  }

  @Test func `a header with the link type of each packet is removed`() {
    let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    let air = SamplePackets.dataAddress + [0x02, 0x01, 0x55, 1, 2, 3]
    // A PPI field in which Ubertooth describes the reception. Ubertooth uses the private-use link type 147
    // for low energy.
    let lowEnergyField: [UInt8] = [0x36, 0x75, 4, 0, 0, 9, 0, 0]
    let frames = [
      perPacketFrame(linkType: 187, command), perPacketFrame(linkType: 201, [0, 0, 0, 0] + command),
      perPacketFrame(linkType: 251, fields: [1, 0, 2, 0, 7, 7], air),
      perPacketFrame(linkType: 147, fields: [1, 0, 0, 0] + lowEnergyField, air),
      perPacketFrame(linkType: 147, fields: [1, 0, 0, 0], air), perPacketFrame(linkType: 1, command),
      perPacketFrame(linkType: 192, perPacketFrame(linkType: 187, command)), [0, 0, 40, 0, 187, 0, 0, 0, 1],
    ]
    let log = RecordedLog(pcapHeader(linkType: 192) + frames.flatMap { pcapRecord(0, 0, $0) })
    let linkLayer = PacketLogRecord.Content.linkLayer(LinkLayerReception())
    #expect(
      log.contents == [.command(), .command(), linkLayer, linkLayer, .other, .other, .other, .other])
    #expect(
      log.entries.prefix(4).map(\.bytes) == [
        Array(command.dropFirst()), Array(command.dropFirst()), air, air,
      ])
  }

  @Test func `an appended log is read with its own byte order, resolution and link type`() {
    let packets = SamplePackets.allTypes
    for first in TestByteOrder.allCases {
      for second in TestByteOrder.allCases {
        let log = RecordedLog(
          pcapLog(packets, linkType: 254, first) + pcapLog(packets, linkType: 201, second, nanoseconds: true)
            + pcapHeader(linkType: 251, first))
        #expect(log.damage == nil)
        #expect(log.packets.filter { $0.content != .section } == packets + packets)
        #expect(log.contents.indices.filter { log.contents[$0] == .section } == [8, 17])
      }
    }
  }

  @Test func `a record whose time equals the magic number is a record`() {
    let log = RecordedLog(
      pcapHeader(linkType: 187) + pcapRecord(0xA1B2_C3D4, 0x0004_0002, [1])
        + pcapRecord(0xA1B2_C3D4, 7, []))
    #expect(log.contents == [.command(), .other] && log.damage == nil)
  }

  @Test func `errors of an appended header contain its offset`() {
    let log = pcapLog(SamplePackets.commandEventACL, linkType: 187)
    let offset = Int64(log.count)
    #expect(
      RecordedLog(log + pcapHeader(linkType: 1)).damage
        == PacketLogError(.unsupportedDatalink(1), offset: offset + 20))
    #expect(
      RecordedLog(log + pcapHeader(linkType: 187).prefix(20)).damage
        == PacketLogError(.truncated, offset: offset))
    let other = btsnoopH4Log(SamplePackets.commandEventACL)
    #expect(RecordedLog(log + other).damage?.description.contains("a btsnoop log begins here") == true)
  }
}
