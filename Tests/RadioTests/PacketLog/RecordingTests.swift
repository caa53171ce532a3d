import Bluetooth
import Foundation
import PacketLog
import Testing

@testable import TestSupport

/// Tests recorded logs that other programs wrote. Some were published by others and are not in the
/// repository.
@Suite struct RecordingTests {
  /// Counts and times as reported by `capinfos`.
  struct Recording: CustomTestStringConvertible {
    let path: String
    let format: PacketLogFormat
    let records: Int
    let firstTime: Int64
    let lastTime: Int64
    var testDescription: String { URL(filePath: path).lastPathComponent }

    func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }
  }

  static let recordings =
    [
      Recording(
        path: Recordings.path("open-60s.btsnoop"), format: .btsnoopMonitor, records: 306,
        firstTime: 1_795_236_327_585_503, lastTime: 1_795_236_385_470_656),
      Recording(
        path: Recordings.path("bonded-60s.btsnoop"), format: .btsnoopMonitor, records: 420,
        firstTime: 1_795_236_396_717_581, lastTime: 1_795_236_463_759_729),
    ]
    + PublishedRecordings.present("real-cardiosport.1002.btsnoop").map {
      Recording(
        path: $0, format: .btsnoopH4, records: 107,
        firstTime: 1_756_129_756_047_121, lastTime: 1_756_129_795_255_482)
    }
    + PublishedRecordings.present("real-cardiosport.2001.btsnoop").map {
      Recording(
        path: $0, format: .btsnoopMonitor, records: 108,
        firstTime: 1_756_129_756_047_121, lastTime: 1_756_129_795_255_482)
    }
    + PublishedRecordings.present("real-android-no-hr.1002.btsnoop").map {
      Recording(
        path: $0, format: .btsnoopH4, records: 7250,
        firstTime: 1_646_745_455_923_245, lastTime: 1_646_745_661_327_121)
    }
    + PublishedRecordings.present("real-btmon-no-hr.2001.btsnoop").map {
      Recording(
        path: $0, format: .btsnoopMonitor, records: 554,
        firstTime: 1_696_206_721_350_268, lastTime: 1_696_206_731_322_030)
    }

  @Test(arguments: recordings)
  func hasAsManyRecordsAsOtherReadersFind(_ recording: Recording) throws {
    let reader = try PacketLogFile.open(path: recording.path)
    #expect(reader.format == recording.format)
    let log = RecordedLog(reader)
    #expect(log.damage == nil)
    #expect(log.entries.count == recording.records)
    #expect(log.entries.first?.record.time.microsecondsSince1970 == recording.firstTime)
    #expect(log.entries.last?.record.time.microsecondsSince1970 == recording.lastTime)
  }

  @Test(
    arguments: Recordings.sessions.map { (Recordings.path("\($0).btsnoop"), nil) }
      + zip(
        PublishedRecordings.present("real-cardiosport.2001.btsnoop"),
        PublishedRecordings.present("real-cardiosport.1002.btsnoop").map(Optional.some)))
  func bothContainersOfTheStrapHoldTheSamePackets(_ monitor: String, _ uart: String?) throws {
    let monitor = RecordedLog(try PacketLogFile.open(path: monitor)).packets
    let hci = monitor.filter { if case .hci = $0.content { true } else { false } }
    let other =
      if let uart { RecordedLog(try PacketLogFile.open(path: uart)) } else { RecordedLog(btsnoopH4Log(hci)) }
    #expect(other.packets == hci)
    // A UART log lacks the message about the added adapter, which only the monitor channel has.
    if uart != nil { #expect(other.packets == Array(monitor.dropFirst())) }
  }

  @Test(arguments: Recordings.sessions)
  func cutAnywhereGivesThePrefix(_ session: String) throws {
    let bytes = try Recordings.bytes("\(session).btsnoop")
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

  @Test(arguments: recordings)
  func everyContainerGivesTheSamePackets(_ recording: Recording) throws {
    let packets = RecordedLog(try recording.bytes()).packets
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
  /// The packets without their controller numbers, as in a container that does not store them.
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
