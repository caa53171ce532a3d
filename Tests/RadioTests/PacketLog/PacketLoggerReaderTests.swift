import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

struct PacketLoggerReaderTests {
  private static let sound = packetLoggerLog(SamplePackets.commandEventACL, .big)

  @Test func `records of the system are of type other`() {
    let types: [UInt8] = [0x0A, 0x0B, 0xF7, 0xFC, 0xFE, 0xFF, 0x55]
    let log = RecordedLog(Self.sound + types.flatMap { packetLoggerRecord(type: $0, at: 0, [1], .big) })
    #expect(log.contents.dropFirst(4).allSatisfy { $0 == .other })
    #expect(log.entries.count == 4 + types.count && log.damage == nil)
  }

  @Test func `an absurd length ends the log at its record`() {
    let log = RecordedLog(Self.sound + [0x00, 0x02, 0x00, 0x00] + [UInt8](repeating: 0, count: 200_000))
    #expect(log.entries.count == 4)
    #expect(log.damage == PacketLogError(.absurdLength(0x2_0000), offset: Int64(Self.sound.count)))
  }

  @Test func `a length that is too short for the fixed fields ends the log`() {
    let log = RecordedLog(Self.sound + [UInt8](repeating: 0, count: 13))
    #expect(log.entries.count == 4)
    #expect(
      log.damage
        == PacketLogError(
          .malformed("a PacketLogger record has the invalid length 0"), offset: Int64(Self.sound.count)))
  }

  @Test func `any time is accepted`() {
    var record = packetLoggerRecord(type: 1, at: 0, [1], .big)
    record.replaceSubrange(4..<12, with: [UInt8](repeating: 0xFF, count: 8))
    let log = RecordedLog(Self.sound + Self.sound + record)
    #expect(log.entries.count == 9 && log.damage == nil)
  }

  @Test func `an appended log of the other byte order is read`() {
    let packets = SamplePackets.allTypes
    for order in TestByteOrder.allCases {
      let other: TestByteOrder = order == .big ? .little : .big
      let log = RecordedLog(
        packetLoggerLog(packets, order) + packetLoggerLog(packets, other) + packetLoggerLog(packets, order))
      #expect(log.damage == nil)
      #expect(log.packets.filter { $0.content != .section } == packets + packets + packets)
    }
  }

  @Test func `errors name the header of another container, here and in a log of hcidump`() {
    let packets = SamplePackets.allTypes
    let others: [(name: String, log: [UInt8])] = [
      ("btsnoop", btsnoopH4Log(packets)), ("pcap", pcapLog(packets, linkType: 187, .big)),
      ("pcap", pcapLog(packets, linkType: 187, .little, nanoseconds: true)),
      ("pcapng", pcapngLog(packets, linkType: 187, .big)),
    ]
    let logs = TestByteOrder.allCases.map { packetLoggerLog(packets, $0) } + [hciDumpLog(packets)]
    for (name, other) in others {
      for log in logs {
        let joined = RecordedLog(log + other)
        #expect(joined.entries.count == packets.count)
        #expect(joined.damage?.description.contains("a \(name) log begins here") == true)
        #expect(joined.damage?.offset == Int64(log.count))
      }
    }
  }
}
