import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

struct BTSnoopReaderTests {
  @Test func `time is counted from the year zero`() {
    // A record with the time 2000-01-01 00:00:00, in the form that BlueZ writes.
    var record = ByteWriter()
    record.append([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 0])
    record.appendBE(Int64(0x00E0_3AB4_4A67_6000))
    record.append(0x41)
    let log = RecordedLog(btsnoopLog(datalink: 2001, record.bytes))
    #expect(log.packets == [LoggedPacket(.other, at: 946_684_800_000_000, [0x41])])
  }

  @Test(arguments: [Int64.min, .max, 0, -1])
  func `any time is accepted`(_ time: Int64) {
    let log = RecordedLog(btsnoopLog(datalink: 2001, btsnoopRecord(flags: 2, at: time, [1])))
    #expect(log.entries.count == 1 && log.damage == nil)
  }

  @Test func `the indicator byte takes precedence over wrong flags in 1002`() {
    let log = RecordedLog(
      btsnoopLog(
        datalink: 1002,
        btsnoopRecord(flags: 0x11, [0x01, 0x03]),  // a command flagged as received
        btsnoopRecord(flags: 0x00, [0x04, 0x0E]),  // an event flagged as sent data
        btsnoopRecord(flags: 0x11, [0x02, 0x40]),
        btsnoopRecord(flags: 0x00, [0x02, 0x41])))
    #expect(log.contents == [.command(), .event(), .aclReceived(), .aclSent()])
    #expect(log.entries.map(\.bytes) == [[0x03], [0x0E], [0x40], [0x41]])
  }

  @Test func `unknown indicators and empty records are of type other`() {
    let log = RecordedLog(
      btsnoopLog(datalink: 1002, btsnoopRecord(flags: 0, []), btsnoopRecord(flags: 0, [0x77, 1])))
    #expect(log.contents == [.other, .other])
    #expect(log.entries.map(\.bytes) == [[], [0x77, 1]])
  }

  @Test func `records of controllers end their connections`() {
    let opcodes: [UInt32] = [0, 1, 8, 9, 10, 11, 12, 13, 14, 17, 20, 0xFFFF]
    let log = RecordedLog(
      btsnoopLog(datalink: 2001) + opcodes.flatMap { btsnoopRecord(flags: 3 << 16 | $0, [9]) })
    let reset = PacketLogRecord.Content.controllerReset(3)
    #expect(log.contents == [reset, reset, reset, reset] + Array(repeating: .other, count: 8))
  }

  @Test func `records contain their controller`() {
    let log = RecordedLog(
      btsnoopLog(
        datalink: 2001, btsnoopRecord(flags: 0x0102_0005, [7]), btsnoopRecord(flags: 0xFFFF_0003, [8])))
    #expect(log.contents == [.aclReceived(controller: 0x0102), .event(controller: 0xFFFF)])
  }

  @Test func `an increase of the drop count is a loss before the record`() {
    let log = RecordedLog(
      btsnoopLog(
        datalink: 2001,
        btsnoopRecord(flags: 5, drops: 0, at: 10, [1]),
        btsnoopRecord(flags: 5, drops: 2, at: 20, [2]),
        btsnoopRecord(flags: 5, drops: 2, at: 30, [3]),
        btsnoopRecord(flags: 5, drops: 0, at: 40, [4]),  // joined logs: the count starts again
        btsnoopRecord(flags: 5, drops: 1, at: 50, [5])))
    let lost = PacketLogRecord.Content.lost(controller: nil)
    let got = PacketLogRecord.Content.aclReceived()
    #expect(log.contents == [got, lost, got, got, got, lost, got])
    #expect(log.entries.map(\.bytes) == [[1], [], [2], [3], [4], [], [5]])
    #expect(log.entries[1].record.offset == log.entries[2].record.offset)
    #expect(log.entries[1].record.time == log.entries[2].record.time)
  }

  @Test func `a header without records is a valid log`() {
    for datalink: UInt32 in [1001, 1002, 2001] {
      let log = RecordedLog(btsnoopLog(datalink: datalink))
      #expect(log.entries.isEmpty && log.damage == nil)
    }
  }

  @Test(arguments: [UInt32(1003), 1004, 2002, 0, .max])
  func `errors name other datalinks`(_ datalink: UInt32) {
    #expect(
      RecordedLog(btsnoopLog(datalink: datalink)).damage
        == PacketLogError(.unsupportedDatalink(datalink), offset: 12))
  }

  @Test func `another version is rejected`() {
    var log = btsnoopLog(datalink: 2001)
    log[11] = 2
    #expect(RecordedLog(log).damage == PacketLogError(.malformed("unknown btsnoop version"), offset: 8))
  }

  @Test func `an absurd length ends the log at its record`() {
    var record = btsnoopRecord(flags: 2, [1, 2, 3])
    record.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let log = RecordedLog(btsnoopLog(datalink: 2001, btsnoopRecord(flags: 2, [9]), record))
    #expect(log.entries.count == 1)
    #expect(log.damage == PacketLogError(.absurdLength(0xFFFF_FFFF), offset: 41))
  }

  @Test func `the longest packet is accepted`() {
    let long = [UInt8](repeating: 0x5A, count: 65_552)
    let log = RecordedLog(btsnoopLog(datalink: 2001, btsnoopRecord(flags: 5, long)))
    #expect(log.entries.map(\.bytes) == [long] && log.damage == nil)
  }

  @Test func `a hundred thousand empty records can be read`() throws {
    let record = btsnoopRecord(flags: 12, [])
    let bytes = btsnoopLog(datalink: 2001) + (0..<100_000).flatMap { _ in record }
    var reader = try PacketLogFile.open(bytes: bytes)
    var count = 0
    while try reader.readRecord({ _, packet in count += packet.isEmpty ? 1 : 0 }) {}
    #expect(count == 100_000)
  }

  @Test func `an appended log is read, whatever its datalink, with its own drop count`() {
    let packets = SamplePackets.commandEventACL
    let drops = btsnoopRecord(flags: 2, drops: 3, [1])
    let log = RecordedLog(
      btsnoopLog(datalink: 2001, drops) + btsnoopH4Log(packets) + btsnoopLog(datalink: 1001)
        + btsnoopH1Log(packets) + btsnoopLog(datalink: 2001, drops) + btsnoopLog(datalink: 1002))
    let loss = PacketLogRecord.Content.lost(controller: nil)
    let contents = packets.map(\.content)
    #expect(
      log.contents == [loss, .command(), .section] + contents + [.section, .section] + contents
        + [.section, loss, .command(), .section])
    #expect(log.damage == nil)
  }

  @Test func `errors of an appended header contain its offset`() {
    let log = btsnoopH4Log(SamplePackets.commandEventACL)
    let offset = Int64(log.count)
    var version = btsnoopLog(datalink: 1002)
    version[11] = 2
    let faults: [([UInt8], PacketLogError)] = [
      (version, PacketLogError(.malformed("unknown btsnoop version"), offset: offset + 8)),
      (btsnoopLog(datalink: 1003), PacketLogError(.unsupportedDatalink(1003), offset: offset + 12)),
      (Array(btsnoopLog(datalink: 1002).prefix(15)), PacketLogError(.truncated, offset: offset)),
    ]
    for (header, error) in faults {
      let joined = RecordedLog(log + header)
      #expect(joined.entries.count == 4 && joined.damage == error)
    }
    for (name, other) in [
      ("pcap", pcapHeader(linkType: 187)), ("pcap", pcapHeader(linkType: 187, .big)),
      ("pcapng", pcapngSection() + pcapngInterface(linkType: 187)),
    ] {
      #expect(RecordedLog(log + other).damage?.description.contains("a \(name) log begins here") == true)
    }
  }
}
