import Foundation
import PacketLog
import Testing

@testable import TestSupport

struct FormatRecognitionTests {
  @Test func `an empty file gives an error`() {
    #expect(RecordedLog([UInt8]()).damage == PacketLogError(.empty, offset: 0))
  }

  @Test(arguments: [
    "Frame 1: 12 bytes on wire\nand more text that is no log at all\n",
    "{\"log\": 1, \"b\": [1, 2, 3, 4, 5]}", "x",
    "%PDF-1.7 and so on, which is also no packet log",
  ])
  func `text is not a packet log`(_ text: String) {
    #expect(RecordedLog(Array(text.utf8)).damage == PacketLogError(.notAPacketLog, offset: 0))
  }

  @Test(arguments: [0x00, 0x01, 0x02, 0x20, 0x7F, 0xFF] as [UInt8], [1, 3, 12, 13, 64, 5000])
  func `a series of equal bytes is not a packet log`(_ byte: UInt8, _ count: Int) {
    #expect(
      RecordedLog([UInt8](repeating: byte, count: count)).damage == PacketLogError(.notAPacketLog, offset: 0)
    )
  }

  @Test func `random bytes are hardly ever recognized as a log`() {
    var generator = SeededGenerator(seed: 11)
    var taken = 0
    for _ in 0..<20_000 {
      let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if RecordedLog(bytes).damage?.code != .notAPacketLog { taken += 1 }
    }
    #expect(taken <= 2)
  }

  @Test func `a stream that begins with a new controller is not PacketLogger`() throws {
    // This first message of a monitor stream is also a valid PacketLogger record: length, time and type fit.
    let newIndex = monitorMessage(
      opcode: 0, extended: monitorTimestamp(12),
      [0, 1, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00] + Array("bt0\0\0\0\0\0".utf8))
    let event = monitorMessage(opcode: 3, extended: monitorTimestamp(13), [0x0E, 0x00])
    #expect(try PacketLogFile.open(bytes: newIndex).format == .monitorStream)
    #expect(try PacketLogFile.open(bytes: newIndex + event).format == .monitorStream)
  }

  @Test func `a PacketLogger file of any second is recognized`() throws {
    // The seconds of a PacketLogger record are at the offset of a monitor stream's flags and extension
    // length.
    for seconds in stride(from: 1_699_999_744, to: 1_700_066_000, by: 1) as StrideTo<Int64> {
      let bytes = packetLoggerRecord(type: 0, at: seconds * 1_000_000, [0x03, 0x0C, 0x00])
      let log = bytes + packetLoggerRecord(type: 1, at: seconds * 1_000_000 + 5, [0x0E, 0x04, 1, 3, 12, 0])
      if try PacketLogFile.open(bytes: log).format != .packetLogger { Issue.record("\(seconds)") }
    }
  }

  @Test func `a missing file is an I/O error`() {
    #expect(throws: PacketLogError(.io(ENOENT), offset: 0)) {
      _ = try PacketLogFile.open(path: "/nonexistent/log")
    }
  }

  @Test func `a directory is an I/O error`() {
    #expect(throws: PacketLogError(.io(EISDIR), offset: 0)) { _ = try PacketLogFile.open(path: "/") }
  }

  @Test func `errors contain a reason and an offset`() {
    let descriptions = [
      PacketLogError(.empty, offset: 0), PacketLogError(.truncated, offset: 41),
      PacketLogError(.absurdLength(99), offset: 7), PacketLogError(.malformed("a reason"), offset: 8),
      PacketLogError(.unsupportedDatalink(7777), offset: 20), PacketLogError(.io(ENOENT), offset: 0),
      PacketLogError(.io(EIO), offset: 9),
    ].map(\.description)
    #expect(
      descriptions == [
        "the file is empty", "the log ends inside the record at offset 41",
        "the record at offset 7 is damaged: it claims to have 99 bytes", "damaged at offset 8: a reason",
        "link type 7777 is not a link type for Bluetooth packets", "No such file or directory",
        "Input/output error (at offset 9)",
      ])
  }

  @Test(
    arguments: [
      (1, "network traffic"), (189, "USB"), (220, "USB"), (249, "USB"), (255, "classic Bluetooth"),
      (147, "editcap"),
    ] as [(UInt32, String)])
  func `errors name other kinds of captures`(_ linkType: UInt32, _ name: String) {
    let damage = RecordedLog(pcapHeader(linkType: linkType)).damage
    #expect(damage?.code == .unsupportedDatalink(linkType))
    #expect(damage?.description.contains(name) == true)
    #expect(damage?.description.contains("\(linkType)") == true)
  }

  @Test(arguments: [(1003, "BCSP"), (1004, "three-wire"), (2002, "simulated")] as [(UInt32, String)])
  func `errors name a btsnoop file of a layer below HCI`(_ datalink: UInt32, _ name: String) {
    let damage = RecordedLog(btsnoopLog(datalink: datalink)).damage
    #expect(damage?.code == .unsupportedDatalink(datalink))
    #expect(damage?.description.contains(name) == true)
  }

  @Test func `one record is enough to recognize hcidump's own format`() throws {
    let event = hciDumpRecord(isReceived: true, at: 5_000_001, [0x04, 0x0E, 0x00])
    let reader = try PacketLogFile.open(bytes: event)
    #expect(reader.format == .hciDump)
    #expect(RecordedLog(reader).packets == [LoggedPacket(.event(), at: 5_000_001, [0x0E, 0x00])])
  }

  @Test func `two records of hcidump outweigh a possible one of PacketLogger`() throws {
    // Read as PacketLogger, the packet indicator 2 is the type of sent ACL data, and the direction byte is a
    // part of the record length.
    let acl = hciDumpRecord(isReceived: true, at: 5_000_001, [0x02] + [UInt8](repeating: 7, count: 20))
    #expect(try PacketLogFile.open(bytes: acl + acl).format == .hciDump)
  }

  @Test func `hcidump's records of other packet types are skipped`() {
    let event = hciDumpRecord(isReceived: true, at: 1, [0x04, 0x0E, 0x00])
    let vendor = hciDumpRecord(isReceived: true, at: 2, [0xFF, 0x01])
    #expect(RecordedLog(event + event + vendor).contents == [.event(), .event(), .other])
  }
}
