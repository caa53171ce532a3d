import Bluetooth
import PacketLog
import Testing

@testable import TestSupport

struct HCIDumpReaderTests {
  private static let sound = hciDumpLog(SamplePackets.commandEventACL)
  private static let count = SamplePackets.commandEventACL.count

  @Test(
    arguments: [
      (0, [0, 0], "the hcidump record has the length 0"),
      (2, [7], "the hcidump record has the invalid direction 7"),
    ] as [(Int, [UInt8], String)])
  func `invalid records end the log, with a reason`(place: Int, bytes: [UInt8], reason: String) {
    var record = hciDumpRecord(isReceived: true, at: 1, [0x04, 0x0E, 0x00])
    record.replaceSubrange(place..<place + bytes.count, with: bytes)
    let log = RecordedLog(Self.sound + record + Self.sound)
    #expect(log.entries.count == Self.count)
    #expect(log.damage == PacketLogError(.malformed(reason), offset: Int64(Self.sound.count)))
  }

  @Test func `a packet that is neither sent nor received is not of hcidump`() {
    // A data packet, whose direction byte is 0 (sent) or 1 (received).
    var record = hciDumpRecord(isReceived: true, at: 0, [0x02] + [UInt8](repeating: 7, count: 20))
    #expect((try? PacketLogFile.open(bytes: record + record))?.format == .hciDump)
    record[2] = 2
    #expect((try? PacketLogFile.open(bytes: record + record))?.format != .hciDump)
  }

  @Test func `any time is accepted`() {
    var record = hciDumpRecord(isReceived: true, at: 1, [0x04, 0x0E, 0x00])
    record.replaceSubrange(4..<12, with: [UInt8](repeating: 0xFF, count: 8))
    let log = RecordedLog(Self.sound + record)
    #expect(log.entries.count == Self.count + 1 && log.damage == nil)
  }

  @Test func `a packet type with a single direction determines the direction`() {
    let event = hciDumpRecord(isReceived: false, at: 1, [0x04, 0x0E, 0x00])
    #expect(RecordedLog(Self.sound + event).contents.last == .event())
  }

  @Test(
    arguments: [
      (2, [2]), (2, [0]), (3, [1]), (8, [0x40, 0x42, 0x0F]), (12, [0x09]), (0, [0]),
    ] as [(Int, [UInt8])])
  func `a first record with a byte that hcidump does not write is not its log`(
    place: Int, bytes: [UInt8]
  ) {
    var record = hciDumpRecord(isReceived: true, at: 0, [0x04, 0x0E, 0x00])
    #expect((try? PacketLogFile.open(bytes: record))?.format == .hciDump)
    record.replaceSubrange(place..<place + bytes.count, with: bytes)
    #expect((try? PacketLogFile.open(bytes: record))?.format != .hciDump)
  }
}
