import Bluetooth
import Foundation
import PacketLog
import Testing

@testable import TestSupport

/// Tests `hrgate replay` of logs that are incomplete or have wrong times.
@Suite struct IncompleteLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let start: Int64 = 1_700_000_000_000_000
  private static let strap = BluetoothAddress(bits: 0xC011_2233_4455, kind: .random)

  private func acl(_ pdu: [UInt8], _ direction: HCIDirection, at time: Int64) -> LoggedPacket {
    LoggedPacket(
      direction == .hostToController ? .aclSent() : .aclReceived(), at: time,
      ACLPacket.attribute(pdu, on: 0x40, direction))
  }

  /// Returns a session of a strap that beats once a second, with `frames` frames from the tenth second on.
  private func session(_ frames: Int, start: Int64 = start) -> [LoggedPacket] {
    let connection = HCIEventPacket.leConnectionComplete(
      handle: 0x40, peer: Self.strap, interval: 24, supervisionTimeout: 42)
    return [
      LoggedPacket(.event(), at: start, connection),
      acl([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], .hostToController, at: start + 1000),
      acl([0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x37, 0x2A], .controllerToHost, at: start + 2000),
    ]
      + (0..<frames).map {
        acl(
          [0x1B, 0x12, 0, 0x16, 60, 0x00, 0x04], .controllerToHost,
          at: start + Int64(10 + $0) * 1_000_000)
      }
  }

  private func cut(_ packet: inout LoggedPacket, to length: Int) {
    packet.originalLength = packet.bytes.count
    packet.bytes = Array(packet.bytes.prefix(length))
  }

  private func replay(_ log: [UInt8], _ name: String = "log") throws -> (
    status: Int32, record: [String: Any], errors: String, text: String
  ) {
    let path = try folder.file(name, log)
    let result = try Command.hrgate("replay", path, "--dry-run", "--json")
    let text = try Command.hrgate("replay", path, "--dry-run").output
    return (result.status, try #require(result.objects().first), result.errors, text)
  }

  private func stored(_ record: [String: Any]) -> Int {
    (record["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0
  }

  @Test(arguments: [2, 4, 8, 9, 11, 12, 13, 14, 15, 16])
  func `beats are not joined across a truncated packet, and later beats keep their times`(
    length: Int
  ) throws {
    var packets = session(20)
    // A packet of 17 bytes: a notification with two intervals of half a second.
    packets[13] = acl(
      [0x1B, 0x12, 0, 0x16, 60, 0x00, 0x02, 0x00, 0x02], .controllerToHost, at: Self.start + 20_000_000)
    cut(&packets[13], to: length)
    let path = try folder.file("log", btsnoopH4Log(packets))
    let store = folder.path("s.sqlite")
    let result = try Command.hrgate("replay", path, "--store", store, "--json")
    let record = try #require(result.objects().first)
    #expect(result.status == 0)
    #expect(record["truncatedRecords"] as? Int == 1)
    #expect(result.errors.contains("1 of 23 records has only the beginning of the packet"))
    #expect(result.errors.contains("Enable Bluetooth HCI snoop log"))
    let rejected = record["rejected"] as? [String: Int] ?? [:]
    #expect(rejected == ((11...12).contains(length) ? ["truncated": 1] : [:]))
    #expect(record["measurements"] as? Int == (length < 11 ? 19 : 20))
    #expect(stored(record) == (length < 13 ? 19 : 20))
    let series = try Samples(store: store).series
    #expect(series.compactMap { ($0["beats"] as? [Any])?.count } == [11, 10])
    #expect(
      series.compactMap { $0["start"] as? String }
        == ["2023-11-14T22:13:29.000000Z", "2023-11-14T22:13:40.000000Z"])
  }

  @Test func `a log without any readable heart rate is an error that explains how to record more`() throws {
    let writers: [(name: String, advice: String, write: ([LoggedPacket]) -> [UInt8])] = [
      ("1002", "Enable Bluetooth HCI snoop log", btsnoopH4Log), ("2001", "btmon -w FILE", btsnoopMonitorLog),
      ("pcap", "tshark -s 0", { pcapLog($0, linkType: 201, .big) }),
      ("pcapng", "tshark -s 0", { pcapngLog($0, linkType: 254, .big) }),
      ("btsnooz", "Enable Bluetooth HCI snoop log", { btsnoozLog($0, kept: 8) }),
    ]
    for (name, advice, write) in writers {
      var packets = session(8)
      for place in packets.indices { cut(&packets[place], to: 8) }
      if name == "btsnooz" { packets = session(8) }
      let (status, record, errors, text) = try replay(write(packets), name)
      #expect(status == 1, "\(name)")
      #expect(record["measurements"] as? Int == 0)
      #expect(record["truncatedRecords"] as? Int == 11, "\(name)")
      #expect(errors.contains("no heart rate could be read") && errors.contains(advice), "\(name)")
      #expect(text.contains("anomaly: 11 × truncatedPacket"), "\(text)")
    }
    // A complete log without heart rates is no error.
    #expect(try replay(btsnoopH4Log(Array(session(0)))).status == 0)
  }

  @Test func `a truncated packet that is not a measurement loses nothing`() throws {
    var packets = session(6)
    let whole = packets
    // An advertising report with the name of another device.
    let report: [UInt8] =
      [0x3E, 24, 2, 1, 0, 1, 1, 2, 3, 4, 5, 6, 12, 11, 9] + Array("Other name".utf8) + [0xC0]
    packets.insert(LoggedPacket(.event(), at: Self.start + 3000, report), at: 3)
    cut(&packets[3], to: 12)
    let (status, record, errors, _) = try replay(btsnoopH4Log(packets))
    #expect(status == 0 && stored(record) == 6)
    #expect(errors.contains("only the beginning of the packet; all measurements that were read are complete"))
    #expect((record["stored"] as? [String: Int])?["HKDataTypeIdentifierHeartbeatSeries"] == 1)
    // A log with only the first packets, one of them truncated, is no error, because no measurement is
    // missing.
    let (other, _, notice, _) = try replay(btsnoopH4Log(Array(packets[..<4])))
    #expect(other == 0 && !notice.contains("no heart rate could be read"))
    #expect(try replay(btsnoopH4Log(whole)).errors.isEmpty)
  }

  @Test func `beats of a strap on two links in one log are not added up`() throws {
    // Merges the logs of two hosts that recorded the same strap. The second host received each value 40 ms
    // later.
    let late = session(60).map { packet in
      var packet = packet
      packet.time.microsecondsSince1970 += 40_000
      return packet
    }
    let packets = (session(60).map { ($0, 0) } + late.map { ($0, 1) }).sorted { $0.0.time < $1.0.time }
    let interface = pcapngInterface(linkType: 201)
    let log =
      pcapngSection() + interface + interface
      + packets.flatMap { pcapngPackets([$0.0], interface: UInt32($0.1), linkType: 201) }
    let path = try folder.file("log", log)
    let store = folder.path("s.sqlite")
    let result = try Command.hrgate("replay", path, "--store", store, "--json")
    let record = try #require(result.objects().first)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(record["measurements"] as? Int == 120)
    #expect(stored(record) == 60 && record["duplicates"] as? Int == 60)
    let series = try Samples(store: store).series
    #expect(series.compactMap { ($0["beats"] as? [Any])?.count } == [61])
  }

  @Test func `a bug report with truncated packets has the heart rates of a given handle`() throws {
    let (status, record, errors, _) = try replay(bugReport(btsnoozLog(session(8), kept: 14)))
    // The first 14 bytes of the earlier packets contain neither the peer nor the handle, so nothing is
    // stored. As for any log without a readable heart rate, this is an error.
    #expect(status == 1)
    #expect(stored(record) == 0)
    #expect(record["truncatedRecords"] as? Int == 11)
    #expect(errors.contains("no heart rate could be read"))
    #expect(errors.contains("--measurement-handle 0x0012"))
    let path = try folder.file("report", bugReport(btsnoozLog(session(8), kept: 14)))
    let result = try Command.hrgate("replay", path, "--dry-run", "--json", "--measurement-handle", "0x12")
    #expect(result.status == 0)
    let named = try #require(result.objects().first)
    #expect(stored(named) == 8)
    #expect((named["stored"] as? [String: Int])?["HKDataTypeIdentifierHeartbeatSeries"] == nil)
  }

  @Test func `EATT frames and unknown opcodes are reported in both output formats`() throws {
    let frames: [[UInt8]] = [
      [14, 0, 5, 0, 0x17, 7, 10, 0, 0x27, 0, 64, 0, 64, 0, 9, 0, 0x41, 0],
      [9, 0, 0x41, 0, 7, 0, 0x1B, 0x12, 0, 0x16, 61, 0, 4],
    ]
    var packets = session(6)
    packets += frames.map {
      LoggedPacket(.aclReceived(), at: Self.start + 16_000_000, [0x40, 0x20, UInt8($0.count), 0] + $0)
    }
    packets.append(acl([0x2B, 1], .controllerToHost, at: Self.start + 17_000_000))
    let (status, record, errors, text) = try replay(btsnoopH4Log(packets))
    #expect(status == 0)
    let unread = try #require((record["unread"] as? [[String: Any]])?.first)
    #expect(unread["peer"] as? String == "C0:11:22:33:44:55")
    #expect(unread["counts"] as? [String: Int] == ["enhancedAttributeFrame": 1, "unknownOpcode": 1])
    #expect(text.contains("not decoded from C0:11:22:33:44:55: 1 × enhancedAttributeFrame"))
    #expect(
      errors.contains("1 frame of enhanced attribute bearers (EATT), 1 attribute PDU with unknown opcode"))
    #expect(errors.contains("Channels = 1"))
    // A log whose only values are in undecoded frames is an error.
    packets.removeSubrange(3..<9)
    #expect(try replay(btsnoopH4Log(packets)).status == 1)
  }

  @Test func `encrypted sniffer packets are reported, and an error if there is nothing else`() throws {
    let address: [UInt8] = [0x78, 0x56, 0x34, 0x12]
    let peers: [UInt8] = [1, 2, 3, 4, 5, 6, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
    let request =
      [0x85, 34] + peers + address + [0, 0, 0, 0, 0, 0, 24, 0] + [UInt8](repeating: 0, count: 10)
    let encrypted = (0..<4).map { (place: Int) -> LoggedPacket in
      let pdu: [UInt8] = [0b10 | UInt8(place % 2) << 3, 8, UInt8(place), 2, 3, 4, 5, 6, 7, 8]
      return LoggedPacket(
        SamplePackets.air(.valid, .peripheral), at: Self.start + Int64(place + 2) * 1_000_000, address + pdu)
    }
    let packets =
      [
        LoggedPacket(
          SamplePackets.air(.valid, nil), at: Self.start, SamplePackets.advertisingAddress + request),
        LoggedPacket(SamplePackets.air(.valid, .central), at: Self.start + 1000, address + [0b11, 1, 0x05]),
      ] + encrypted
    let (status, record, errors, _) = try replay(pcapLog(packets, linkType: 256))
    #expect(status == 1)
    #expect((record["anomalies"] as? [String: Int])?["encryptedPDU"] == 4)
    #expect(errors.contains("4 packets that are encrypted") && errors.contains("long-term key"))
  }

  @Test func `invalid times are reported`() throws {
    let epoch = try replay(btsnoopH4Log(session(3, start: 0)), "epoch")
    #expect(epoch.status == 0)
    #expect(epoch.record["recordsWithImplausibleTime"] as? Int == 6)
    #expect(epoch.errors.contains("6 of 6 records are dated before 2010"))
    #expect(epoch.errors.contains("editcap -t"))
    // Times that count from 1970, although btsnoop counts from the year 0.
    let shift: Int64 = 62_167_219_200_000_000
    let unix = try replay(btsnoopH4Log(session(3, start: Self.start - shift)), "unix")
    #expect(unix.record["rejected"] as? [String: Int] == ["receiptTimeOutOfRange": 3])
    #expect(unix.errors.contains("3 measurements from before 1970 are rejected"))
    #expect(unix.errors.contains("the earliest is 2023-11-14T22:13:20.000000Z"))
    let future = try replay(btsnoopH4Log(session(3, start: 4_000_000_000_000_000)), "future")
    #expect(future.record["recordsWithImplausibleTime"] as? Int == 6)
    #expect(future.errors.contains("dated in the future"))
    let packets = session(3) + Array(session(3, start: Self.start - 3_600_000_000).dropFirst(3))
    let back = try replay(pcapngLog(packets, linkType: 201, .big), "back")
    #expect(back.record["clockStepsBack"] as? Int == 1)
    #expect(back.errors.contains("the time goes back in this log 1 time, by up to 3602.0 s"))
    let ahead = try replay(
      pcapLog(session(3) + session(3, start: Self.start + 7_200_000_000).dropFirst(3), linkType: 201), "ahead"
    )
    #expect(ahead.record["clockStepsAhead"] as? Int == 1)
    let whole = try replay(btsnoopH4Log(session(3)), "whole")
    #expect(whole.errors.isEmpty && whole.record["clockStepsBack"] == nil)
  }

  @Test func `the logs of an archive are read in order, each with its name`() throws {
    guard Command.path(of: "zip") != nil, Command.path(of: "unzip") != nil else { return }
    _ = try folder.file("btsnoop_hci.log.last", btsnoopH4Log(session(3)))
    _ = try folder.file("btsnoop_hci.log", btsnoopH4Log(Array(session(9).dropFirst(6))))
    let archive = folder.path("bugreport.zip")
    _ = try Command.tool(
      "zip", ["-qj", archive, folder.path("btsnoop_hci.log"), folder.path("btsnoop_hci.log.last")])
    let result = try Command.hrgate("replay", archive, "--store", folder.path("s.sqlite"), "--json")
    #expect(result.status == 0 && result.errors.isEmpty)
    let records = try result.objects()
    #expect(records.map { $0["member"] as? String } == ["btsnoop_hci.log.last", "btsnoop_hci.log"])
    #expect(records.map { $0["log"] as? String } == [archive, archive])
    #expect(records.map(stored) == [3, 6])
    #expect(try Samples(store: folder.path("s.sqlite")).series.count == 1)
  }
}
