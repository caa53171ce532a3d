import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

struct PCAPNGReaderTests {
  private static let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

  private func time(_ timestamp: UInt64, resolution: UInt8?, offsetSeconds: Int64? = nil) -> Int64? {
    RecordedLog(
      pcapngSection() + pcapngInterface(linkType: 187, resolution: resolution, offsetSeconds: offsetSeconds)
        + pcapngEnhancedPacket(timestamp: timestamp, Self.command)
    ).entries.first?.record.time.microsecondsSince1970
  }

  @Test func `time is in the units of the interface`() {
    #expect(time(1_700_000_000_123_456, resolution: nil) == 1_700_000_000_123_456)
    #expect(time(1_700_000_000_123_456, resolution: 6) == 1_700_000_000_123_456)
    #expect(time(1_700_000_000_123_456_789, resolution: 9) == 1_700_000_000_123_456)
    #expect(time(1_700_000_000, resolution: 0) == 1_700_000_000_000_000)
    #expect(time(1_700_000_000_123, resolution: 3) == 1_700_000_000_123_000)
    #expect(time(3 << 20 | 1 << 19, resolution: 0x80 | 20) == 3_500_000)
    #expect(time(7, resolution: 0x80) == 7_000_000)
    #expect(time(1, resolution: 0x80 | 20) == 0)
  }

  @Test func `an offset in seconds is added`() {
    #expect(time(1_500_000, resolution: 6, offsetSeconds: 10) == 11_500_000)
    #expect(time(1_999, resolution: 9, offsetSeconds: -2) == -1_999_999)
  }

  @Test func `times out of range are clamped`() {
    #expect(time(.max, resolution: 0) == .max)
    #expect(time(.max, resolution: 0x80) == .max)
    #expect(time(.max, resolution: 0x7F) == 0)
    #expect(time(.max, resolution: 0xFF) == 0)
    #expect(time(.max, resolution: 6, offsetSeconds: .max) == .max)
    #expect(time(0, resolution: 6, offsetSeconds: .min) == .min)
    #expect(time(.max, resolution: 25) == 1)
  }

  @Test func `sections may differ in byte order and interfaces`() {
    let packets = SamplePackets.commandEventACL
    let log = RecordedLog(
      pcapngLog(packets, linkType: 201, .little) + pcapngLog(packets, linkType: 254, .big)
        + pcapngSection(.big) + pcapngLog(packets, linkType: 187, .little))
    #expect(log.damage == nil)
    let sections = log.contents.indices.filter { log.contents[$0] == .section }
    // The third section is empty, so two sections start after the same packet. The first section is not
    // reported.
    #expect(sections == [packets.count, 2 * packets.count + 1, 2 * packets.count + 2])
    #expect(
      log.packets.filter { $0.content != .section } == packets + packets + packets.withoutStatedDirections)
  }

  @Test func `interfaces of one section may differ in link type and clock`() {
    let linkLayer = SamplePackets.dataAddress + [0x02, 0x01, 0x55, 1, 2, 3]
    let log = RecordedLog(
      pcapngSection() + pcapngInterface(linkType: 1) + pcapngInterface(linkType: 187)
        + pcapngInterface(linkType: 251, resolution: 9)
        + pcapngEnhancedPacket(interface: 1, timestamp: 5, Self.command)
        + pcapngEnhancedPacket(interface: 2, timestamp: 6_000, linkLayer)
        + pcapngEnhancedPacket(interface: 0, timestamp: 7, [0xE0]))
    #expect(
      log.packets == [
        LoggedPacket(.command(), at: 5, [0x03, 0x0C, 0x00]),
        LoggedPacket(.linkLayer(LinkLayerReception()), at: 6, linkLayer),
        LoggedPacket(.other, at: 7, [0xE0]),
      ])
    #expect(log.entries.map(\.record.interface.number) == [1, 2, 0])
  }

  @Test func `interfaces with the same name share a number, in all sections and both byte orders`() {
    func section(_ names: [String?], _ order: TestByteOrder) -> [UInt8] {
      pcapngSection(order) + names.flatMap { pcapngInterface(linkType: 187, name: $0, order) }
        + names.indices.flatMap {
          pcapngEnhancedPacket(interface: UInt32($0), timestamp: 1, Self.command, order)
        }
    }
    let log = RecordedLog(
      section(["hci0", nil, "hci1", "hci0"], .little) + section(["hci1", "", nil, "hci2"], .big))
    let interfaces = log.entries.filter { $0.record.content != .section }.map(\.record.interface)
    #expect(interfaces.map(\.number) == [0, 1, 2, 3, 0, 1, 2, 3])
    // An empty name counts as no name.
    #expect(interfaces.map(\.name) == [1, 0, 2, 1, 2, 0, 0, 3])
  }

  @Test func `errors name another container's header, in both byte orders`() {
    for order in TestByteOrder.allCases {
      let log = pcapngLog(SamplePackets.commandEventACL, linkType: 187, order)
      for (name, other) in [
        ("btsnoop", btsnoopH4Log(SamplePackets.commandEventACL)), ("pcap", pcapHeader(linkType: 187, order)),
      ] {
        let joined = RecordedLog(log + other)
        #expect(joined.entries.count == 4)
        #expect(joined.damage?.offset == Int64(log.count))
        #expect(joined.damage?.description.contains("a \(name) log begins here") == true)
      }
    }
  }

  @Test func `simple packets are truncated at the snap length and have the previous time`() {
    var body = ByteWriter()
    body.appendLE(UInt32(20))
    body.append(Self.command + [0xAA, 0xBB])
    let log = RecordedLog(
      pcapngSection() + pcapngInterface(linkType: 187, snapLength: 6)
        + pcapngEnhancedPacket(timestamp: 9, Self.command) + pcapngBlock(3, body.bytes))
    #expect(log.packets.last == LoggedPacket(.command(), at: 9, [0x03, 0x0C, 0x00, 0xAA, 0xBB]))
    #expect(log.entries.map(\.record.isTruncated) == [false, true])
  }

  @Test func `obsolete packet blocks are read, with their drop counts`() {
    func block(drops: UInt16) -> [UInt8] {
      var body = ByteWriter()
      body.appendLE(UInt16(0))
      body.appendLE(drops)
      body.appendLE(UInt32(0))
      body.appendLE(UInt32(9))
      body.appendLE(UInt32(4))
      body.appendLE(UInt32(4))
      body.append(Self.command)
      return pcapngBlock(2, body.bytes)
    }
    let log = RecordedLog(
      pcapngSection() + pcapngInterface(linkType: 187) + block(drops: 0xFFFF) + block(drops: 2)
        + block(drops: 0))
    #expect(log.contents == [.command(), .lost(controller: nil), .command(), .command()])
  }

  @Test func `the drop count option is a loss`() {
    let drops =
      pcapngOption(1, Array("note".utf8)) + pcapngOption(4, [1, 0, 0, 0, 0, 0, 0, 0]) + pcapngOption(0, [])
    let none = pcapngOption(4, [0, 0, 0, 0, 0, 0, 0, 0])
    let log = RecordedLog(
      pcapngSection() + pcapngInterface(linkType: 187)
        + pcapngEnhancedPacket(timestamp: 1, Self.command + [7], options: none)
        + pcapngEnhancedPacket(timestamp: 2, Self.command, options: drops))
    #expect(log.contents == [.command(), .lost(controller: nil), .command()])
    #expect(log.entries.map(\.bytes) == [[3, 12, 0, 7], [], [3, 12, 0]])
  }

  @Test func `blocks of other types are skipped, however long they are`() {
    let huge = pcapngBlock(0x0BAD, [UInt8](repeating: 0x55, count: 1 << 21))
    let log = RecordedLog(
      pcapngSection() + huge + pcapngInterface(linkType: 187) + pcapngBlock(5, [1, 2, 3]) + huge
        + pcapngEnhancedPacket(timestamp: 1, Self.command))
    #expect(log.contents == [.command()] && log.damage == nil)
  }

  @Test func `a block beyond the end is truncated at its own offset`() {
    var block = pcapngBlock(0x0BAD, [])
    block.replaceSubrange(4..<8, with: [0xFC, 0xFF, 0xFF, 0xFF])
    let log = RecordedLog(pcapngSection() + block)
    #expect(log.damage == PacketLogError(.truncated, offset: 28))
  }

  @Test func `a packet block of absurd length is rejected`() {
    var block = pcapngEnhancedPacket(timestamp: 0, Self.command)
    block.replaceSubrange(4..<8, with: [0xFC, 0xFF, 0xFF, 0x7F])
    let start = pcapngSection() + pcapngInterface(linkType: 187)
    #expect(
      RecordedLog(start + block).damage
        == PacketLogError(.absurdLength(0x7FFF_FFFC), offset: Int64(start.count)))
  }

  @Test func `inconsistencies are reported with their offset`() {
    let start = pcapngSection() + pcapngInterface(linkType: 187)
    let offset = Int64(start.count)
    func reason(_ block: [UInt8], _ change: (inout [UInt8]) -> Void) -> PacketLogError? {
      var block = block
      change(&block)
      return RecordedLog(start + block).damage
    }
    let packet = pcapngEnhancedPacket(timestamp: 0, Self.command)
    #expect(
      reason(packet) { $0[8] = 1 }
        == PacketLogError(.malformed("a pcapng packet block is invalid"), offset: offset))
    #expect(
      reason(packet) { $0[20] = 5 }
        == PacketLogError(.malformed("a pcapng packet block is invalid"), offset: offset))
    #expect(
      reason(packet) { $0[32] = 0 }
        == PacketLogError(.malformed("the two lengths of a pcapng block differ"), offset: offset))
    #expect(
      reason(packet) { $0[4] = 8 }
        == PacketLogError(.malformed("a pcapng block has the invalid length 8"), offset: offset))
    #expect(
      reason(packet) { $0[4] = 37 }
        == PacketLogError(.malformed("a pcapng block has the invalid length 37"), offset: offset))
    #expect(
      reason(pcapngSection()) { $0[8] = 0 }
        == PacketLogError(.malformed("a pcapng section has an unknown byte-order magic"), offset: offset))
  }

  @Test func `an endless number of interfaces is rejected`() {
    let interface = pcapngInterface(linkType: 187)
    let log = RecordedLog(pcapngSection() + (0..<5000).flatMap { _ in interface })
    #expect(log.damage?.code == .malformed("a pcapng interface description is invalid"))
  }

  @Test func `a section with an interface is a log without records`() {
    let log = RecordedLog(pcapngSection(.big) + pcapngInterface(linkType: 272, .big))
    #expect(log.entries.isEmpty && log.damage == nil)
  }

  @Test func `a log without a Bluetooth interface is rejected`() {
    let start = pcapngSection()
    let ethernet = start + pcapngInterface(linkType: 1) + pcapngEnhancedPacket(timestamp: 1, [1, 2, 3, 4])
    let log = RecordedLog(ethernet + pcapngSection() + pcapngInterface(linkType: 220))
    #expect(log.contents == [.other, .section])
    #expect(log.damage == PacketLogError(.unsupportedDatalink(1), offset: Int64(start.count)))
    #expect(RecordedLog(ethernet + pcapngSection() + pcapngInterface(linkType: 187)).damage == nil)
    #expect(RecordedLog(start).damage == nil)
  }

  @Test func `a packet without a time is reported as such`() {
    var body = ByteWriter()
    body.appendLE(UInt32(4))
    body.append(Self.command)
    let simple = pcapngBlock(3, body.bytes)
    let log = RecordedLog(
      pcapngSection() + pcapngInterface(linkType: 187) + simple
        + pcapngEnhancedPacket(timestamp: 9, Self.command)
        + simple)
    #expect(log.entries.map(\.record.hasWallTime) == [false, true, false])
    #expect(log.entries.map(\.record.time.microsecondsSince1970) == [0, 9, 9])
  }
}
