import Bluetooth
import Foundation
import PacketLog
import Testing

@testable import TestRecordings

// The recordings are not part of the repository: without them these tests are skipped, and the summary says
// so.
@Suite(.enabled(if: SharedCaptures.arePresent, "no captures beside the repository"))
struct SharedCaptureTests {
  /// Counts and times as `capinfos` tells them.
  struct Capture: CustomTestStringConvertible {
    let name: String
    let format: PacketLogFormat
    let records: Int
    let firstTime: Int64
    let lastTime: Int64
    var testDescription: String { name }
  }

  static let captures = [
    Capture(
      name: "own-open-60s.btsnoop", format: .btsnoopMonitor, records: 306,
      firstTime: 1_795_236_327_585_503, lastTime: 1_795_236_385_470_656),
    Capture(
      name: "own-bonded-60s.btsnoop", format: .btsnoopMonitor, records: 420,
      firstTime: 1_795_236_396_717_581, lastTime: 1_795_236_463_759_729),
    Capture(
      name: "real-cardiosport.1002.btsnoop", format: .btsnoopH4, records: 107,
      firstTime: 1_756_129_756_047_121, lastTime: 1_756_129_795_255_482),
    Capture(
      name: "real-cardiosport.2001.btsnoop", format: .btsnoopMonitor, records: 108,
      firstTime: 1_756_129_756_047_121, lastTime: 1_756_129_795_255_482),
    Capture(
      name: "real-android-no-hr.1002.btsnoop", format: .btsnoopH4, records: 7250,
      firstTime: 1_646_745_455_923_245, lastTime: 1_646_745_661_327_121),
    Capture(
      name: "real-btmon-no-hr.2001.btsnoop", format: .btsnoopMonitor, records: 554,
      firstTime: 1_696_206_721_350_268, lastTime: 1_696_206_731_322_030),
  ]

  @Test(arguments: captures)
  func `has as many records as other readers find`(_ capture: Capture) throws {
    let reader = try PacketLogFile.open(path: SharedCaptures.path(capture.name))
    #expect(reader.format == capture.format)
    let log = RecordedLog(reader)
    #expect(log.damage == nil)
    #expect(log.entries.count == capture.records)
    #expect(log.entries.first?.record.time.microsecondsSince1970 == capture.firstTime)
    #expect(log.entries.last?.record.time.microsecondsSince1970 == capture.lastTime)
  }

  @Test func `both containers of the strap hold the same packets`() throws {
    let uart = RecordedLog(try SharedCaptures.bytes("real-cardiosport.1002.btsnoop"))
    let monitor = RecordedLog(try SharedCaptures.bytes("real-cardiosport.2001.btsnoop"))
    #expect(uart.packets == Array(monitor.packets.dropFirst()))
  }

  @Test(arguments: ["own-open-60s.btsnoop", "own-bonded-60s.btsnoop"])
  func `cut anywhere gives the prefix`(_ name: String) throws {
    let bytes = try SharedCaptures.bytes(name)
    let whole = RecordedLog(bytes)
    let ends = Set(whole.entries.dropFirst().map { Int($0.record.offset) } + [bytes.count])
    for length in 0..<bytes.count {
      var reader: any PacketLogReader
      do {
        reader = try PacketLogFile.open(bytes: Array(bytes.prefix(length)))
      } catch {
        #expect(error == PacketLogError(length == 0 ? .empty : .truncated, offset: 0) && length < 16)
        continue
      }
      var count = 0
      var damage: PacketLogError?
      do {
        while try reader.readRecord({ _, _ in count += 1 }) {}
      } catch {
        damage = error
      }
      let expected = whole.entries.prefix { Int($0.record.offset) < length }.count
      if length == 16 || ends.contains(length) {
        #expect(damage == nil && count == expected)
      } else {
        #expect(damage == PacketLogError(.truncated, offset: whole.entries[count].record.offset))
        #expect(count == expected - 1)
      }
    }
  }

  @Test(arguments: captures)
  func `every container gives the same packets`(_ capture: Capture) throws {
    let packets = RecordedLog(try SharedCaptures.bytes(capture.name)).packets
    let hci = packets.filter { if case .hci = $0.content { true } else { false } }
    #expect(RecordedLog(btsnoopMonitorLog(packets)).contents.count == packets.count)
    for order in TestByteOrder.allCases {
      #expect(RecordedLog(packetLoggerLog(hci, order)).packets == hci.onOneController)
      #expect(RecordedLog(pcapLog(hci, linkType: 254, order)).packets == hci)
      #expect(RecordedLog(pcapngLog(hci, linkType: 254, order)).packets == hci)
      #expect(RecordedLog(pcapLog(hci, linkType: 201, order)).packets == hci.onOneController)
    }
  }
}

extension [LoggedPacket] {
  /// As a container shows them that does not number controllers.
  var onOneController: [LoggedPacket] {
    map { packet in
      var packet = packet
      if case .hci(let type, let direction, _) = packet.content {
        packet.content = .hci(type, direction: direction, controller: 0)
      }
      return packet
    }
  }
}
