import Bluetooth
import Foundation
import Glibc
import PacketLog
import Testing

@testable import PacketReplay
@testable import TestSupport

/// Tests logs with several sections: which section continues the connections of another one.
@Suite struct LogSectionTests {
  private static let strap = PeripheralIdentity.address(StrapPackets.strap)
  private static let silence = ReplayPlan.longestSilence / 1_000_000

  /// A connection, a discovery and a value: seconds 0 to 3.
  private let beginning: [LoggedPacket] = {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure([60])
    return session.packets
  }()

  private func part(from second: Int64, _ rates: [UInt8] = [61, 62]) -> [LoggedPacket] {
    var session = StrapPackets(from: second)
    session.measure(rates)
    return session.packets
  }

  private func replay(_ log: [UInt8]) async throws -> Replayed {
    let folder = try TemporaryFolder()
    return try await Replayed(PacketReplayCentral(path: folder.file("log", log)))
  }

  private func rates(_ replayed: Replayed) -> [UInt8] { replayed.values.map { $0.bytes[1] } }

  private func isDisconnected(_ replayed: Replayed) -> Bool {
    replayed.events.contains { if case .disconnected(Self.strap, _) = $0 { true } else { false } }
  }

  // MARK: - Sections

  private typealias Writer = (name: String, write: ([LoggedPacket]) -> [UInt8])

  private static var writers: [Writer] {
    var writers: [Writer] = [
      ("btsnoop 1001", btsnoopH1Log), ("btsnoop 1002", btsnoopH4Log), ("btsnoop 2001", btsnoopMonitorLog),
    ]
    for order in TestByteOrder.allCases {
      for linkType: UInt32 in [187, 201, 254] {
        writers += [
          ("pcap \(linkType) \(order)", { pcapLog($0, linkType: linkType, order) }),
          ("pcapng \(linkType) \(order)", { pcapngLog($0, linkType: linkType, order) }),
        ]
      }
    }
    return writers
  }

  @Test func `a section that begins where another ended continues its links, in each container`()
    async throws
  {
    for (name, write) in Self.writers {
      let replayed = try await replay(
        write(beginning) + write(part(from: 4)) + write(part(from: 6 + Self.silence, [63])))
      #expect(rates(replayed) == [60, 61, 62], "\(name)")
      #expect(replayed.tally.unresolved.values.reduce(0, +) == 1, "\(name)")
      #expect(isDisconnected(replayed), "\(name)")
      #expect(replayed.tally.records == beginning.count + 3)
    }
  }

  @Test func `sections may differ in byte order, link type, resolution and datalink`() async throws {
    let pcapng =
      pcapngLog(beginning, linkType: 201, .big) + pcapngLog(part(from: 4), linkType: 187, .little)
      + pcapngLog(part(from: 6, [63]), linkType: 254, .big)
    let pcap =
      pcapLog(beginning, linkType: 254, .little) + pcapLog(part(from: 4), linkType: 187, .big)
      + pcapLog(part(from: 6, [63]), linkType: 201, .little, nanoseconds: true)
    let btsnoop =
      btsnoopMonitorLog(beginning) + btsnoopH4Log(part(from: 4)) + btsnoopH1Log(part(from: 6, [63]))
    let packetLogger =
      packetLoggerLog(beginning, .big) + packetLoggerLog(part(from: 4), .little)
      + packetLoggerLog(part(from: 6, [63]), .big)
    for log in [pcapng, pcap, btsnoop, packetLogger] {
      #expect(rates(try await replay(log)) == [60, 61, 62, 63])
    }
  }

  @Test func `overlapping and late sections are recordings of their own`() async throws {
    func log(_ parts: [LoggedPacket]...) -> [UInt8] { parts.flatMap { pcapngLog($0, linkType: 201) } }
    #expect(rates(try await replay(log(beginning, part(from: 2)))) == [60])
    #expect(rates(try await replay(log(beginning, part(from: 4 + Self.silence)))) == [60])
    #expect(rates(try await replay(log(beginning, part(from: 3 + Self.silence)))).count == 3)
    // The third section was recorded at the same time as the second, so neither continues the first.
    #expect(rates(try await replay(log(beginning, part(from: 4, [61, 62, 63]), part(from: 5)))) == [60])
    // A section may begin in the microsecond in which the previous one ends.
    #expect(rates(try await replay(log(beginning, part(from: 4), part(from: 5)))) == [60, 61, 62, 61, 62])
    #expect(rates(try await replay(log(beginning, part(from: 4), part(from: 100)))) == [60, 61, 62])
  }

  @Test func `sections out of chronological order are counted`() async throws {
    let replayed = try await replay(
      pcapngLog(part(from: 4), linkType: 201) + pcapngLog(beginning, linkType: 201))
    #expect(rates(replayed) == [60])
    #expect(replayed.tally.sectionsOutOfOrder == 1)
    // Times that go back between sections are no clock step, because each section has its own clock.
    #expect(replayed.tally.clockStepsBack.count == 0)
  }

  @Test func `a section without times or without Bluetooth has no effect on continuations`() async throws {
    let simple = pcapngBlock(3, [4, 0, 0, 0] + [0x01, 0x03, 0x0C, 0x00])
    let untimed = pcapngSection() + pcapngInterface(linkType: 187) + simple
    let replayed = try await replay(pcapngLog(beginning, linkType: 201) + untimed)
    #expect(isDisconnected(replayed))
    let ethernet =
      pcapngSection(.big) + pcapngInterface(linkType: 1, .big)
      + pcapngEnhancedPacket(timestamp: UInt64(StrapPackets.start) + 3_500_000, [1, 2], .big)
    let parted = pcapngLog(beginning, linkType: 201) + ethernet + pcapngLog(part(from: 4), linkType: 201)
    #expect(rates(try await replay(parted)) == [60])
  }

  @Test func `in a pipe, the pause before a section decides whether it continues`() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let log = [beginning, part(from: 4), part(from: 100, [63])].flatMap { pcapngLog($0, linkType: 201, .big) }
    Thread.detachNewThread {
      guard let writer = FileHandle(forWritingAtPath: pipe) else { return }
      try? writer.write(contentsOf: log)
      try? writer.close()
    }
    #expect(rates(try await Replayed(PacketReplayCentral(path: pipe))) == [60, 61, 62])
  }

  @Test func `the same applies to sections of a compressed log`() async throws {
    let folder = try TemporaryFolder()
    let log = try folder.file(
      "log.pcapng",
      [beginning, part(from: 4, [61, 62, 63]), part(from: 5)].flatMap { pcapngLog($0, linkType: 201) })
    let ordered = try folder.file(
      "ordered.pcapng", [beginning, part(from: 4), part(from: 6)].flatMap { pcapngLog($0, linkType: 201) })
    for (file, expected) in [(log, [60]), (ordered, [60, 61, 62, 61, 62])] as [(String, [UInt8])] {
      for (program, arguments) in [("gzip", ["-k", file]), ("zip", ["-qj", file + ".zip", file])] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
      }
      for suffix in [".gz", ".zip"] {
        let replayed = try await Replayed(PacketReplayCentral(path: file + suffix))
        #expect(rates(replayed) == expected, "\(suffix)")
      }
    }
  }

  @Test func `the last section is continued by another log, whose first section continues no other`()
    async throws
  {
    let folder = try TemporaryFolder()
    let first = try folder.file(
      "1", pcapngLog(part(from: -100), linkType: 201) + pcapngLog(beginning, linkType: 201))
    let second = try folder.file(
      "2", pcapngLog(part(from: 4), linkType: 201) + pcapngLog(part(from: 6, [63]), linkType: 201))
    let memory = ReplayMemory()
    let plan = ReplayPlan(paths: [second, first])
    #expect(plan.logs.map(\.path) == [first, second] && plan.logs[0].isContinued)
    var all: [UInt8] = []
    for log in plan.logs {
      all += rates(
        try await Replayed(
          PacketReplayCentral(path: log.path, memory: memory, isContinued: log.isContinued)))
    }
    #expect(all == [60, 61, 62, 63])
  }

  @Test func `an appended monitor log restates its controllers, and ends no link`() async throws {
    let index: [UInt8] = [0, 0, 1, 0, 0xFF, 0x5F, 0xA5, 0x02] + Array("hci0".utf8) + [0, 0, 0, 0]
    let appear = btsnoopRecord(flags: 0, at: StrapPackets.start + 4_000_000, index)
    let log =
      btsnoopMonitorLog(beginning) + btsnoopLog(datalink: 2001, appear)
      + btsnoopMonitorLog(part(from: 5)).dropFirst(16)
    #expect(rates(try await replay(log)) == [60, 61, 62])
    // A controller that appears in the middle of a section has no links any more.
    let lost = btsnoopMonitorLog(beginning) + appear + btsnoopMonitorLog(part(from: 5)).dropFirst(16)
    #expect(rates(try await replay(lost)) == [60])
  }

  // MARK: - Interfaces

  private func interfaces(
    _ names: [String?], linkType: UInt32 = 201, _ parts: [[LoggedPacket]]
  ) -> [UInt8] {
    var packets: [(time: ReceiptTime, bytes: [UInt8])] = []
    for (number, part) in parts.enumerated() {
      packets += part.map {
        ($0.time, pcapngPackets([$0], interface: UInt32(number), linkType: linkType))
      }
    }
    packets.sort { $0.time < $1.time }
    return pcapngSection() + names.flatMap { pcapngInterface(linkType: linkType, name: $0) }
      + packets.flatMap(\.bytes)
  }

  @Test(arguments: [201, 254] as [UInt32])
  func `an interface continues the one with its name that has ended`(linkType: UInt32) async throws {
    for names in [["hci0", "hci0"], [nil, nil]] as [[String?]] {
      let log = interfaces(names, linkType: linkType, [beginning, part(from: 4)])
      #expect(rates(try await replay(log)) == [60, 61, 62])
    }
    let other = interfaces(["hci0", "hci1"], linkType: linkType, [beginning, part(from: 4)])
    let replayed = try await replay(other)
    #expect(rates(replayed) == [60])
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 2])
  }

  @Test(arguments: [201, 254] as [UInt32])
  func `interfaces that were recorded at the same time are separate recordings`(linkType: UInt32)
    async throws
  {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure(60..<65)
    // Another host is connected to another strap with the same handle. Its log begins during the connection.
    let parallel = interfaces(["hci0", "hci0"], linkType: linkType, [session.packets, part(from: 5, [90])])
    let replayed = try await replay(parallel)
    #expect(rates(replayed) == Array(60..<65))
    #expect(replayed.tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 1])
    // Two interfaces that overlap in time could both continue the first one, so neither does.
    let three = interfaces(
      ["a", "a", "a"], linkType: linkType, [beginning, part(from: 4, [61, 62, 63]), part(from: 5, [90])])
    #expect(rates(try await replay(three)) == [60])
    let later = interfaces(
      ["a", "a", "b"], linkType: linkType, [beginning, part(from: 4), part(from: 5, [90])])
    #expect(rates(try await replay(later)) == [60, 61, 62])
  }

  // MARK: - One peer on several links

  private func marks(_ replayed: Replayed) -> [String] {
    replayed.events.compactMap { event in
      switch event {
      case .connected: "connected"
      case .notified(let notification): "\(notification.value.bytes[1])"
      case .repeated(Self.strap, let count): "\(count) repeated"
      case .disconnected: "disconnected"
      default: nil
      }
    }
  }

  /// - Parameter delay: The delay of all packets, in microseconds.
  private func session(_ rates: [UInt8], delay: Int64 = 0) -> [LoggedPacket] {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure(rates)
    session.disconnect()
    return session.packets.map {
      var packet = $0
      packet.time.microsecondsSince1970 += delay
      return packet
    }
  }

  @Test func `a strap on two links is one monitor, and each value counts once`() async throws {
    let rates: [UInt8] = [60, 60, 61, 62]
    for delay in [0, 40_000, 900_000] as [Int64] {
      let both = [session(rates), session(rates, delay: delay)]
      let replayed = try await replay(interfaces(["hci0", "hci1"], both))
      #expect(self.rates(replayed) == rates, "\(delay) µs")
      let found = marks(replayed)
      #expect(found.count { $0 == "1 repeated" } == 4)
      #expect(found.first == "connected" && found.last == "disconnected" && found.count == 10)
      #expect(replayed.tally.notifications == 8)
    }
  }

  @Test func `a value that only one of two links has counts`() async throws {
    // The second host missed the value 61. It connects while the first host is still connected.
    let second = session([60, 62, 63, 64], delay: 40_000)
    let replayed = try await replay(interfaces(["a", "b"], [session([60, 61, 62, 63]), second]))
    #expect(rates(replayed).sorted() == [60, 61, 62, 63, 64])
    // Links that follow each other are two connections of one strap, and not one connection that is received
    // twice.
    let later = session([60, 61], delay: 60_000_000)
    let apart = try await replay(interfaces(["a", "b"], [session([60, 61]), later]))
    #expect(
      marks(apart) == ["connected", "60", "61", "disconnected", "connected", "60", "61", "disconnected"])
  }

  @Test func `a link that is also recorded from the air counts once`() async throws {
    let rates: [UInt8] = [60, 61, 62]
    let address: [UInt8] = [0x78, 0x56, 0x34, 0x12]
    let peers: [UInt8] = [1, 2, 3, 4, 5, 6, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
    let request =
      [0x85, 34] + peers + address + [0, 0, 0, 0, 0, 0, 24, 0] + [UInt8](repeating: 0, count: 10)
    let pdus =
      [[0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x37, 0x2A]]
      + rates.map { [0x1B, 0x12, 0, 0x16, $0, 0, 4] as [UInt8] } as [[UInt8]]
    var air = [
      LoggedPacket(
        SamplePackets.air(.valid, nil), at: StrapPackets.start - 10_000,
        SamplePackets.advertisingAddress + request)
    ]
    for (place, pdu) in pdus.enumerated() {
      let header = [0b10 | UInt8(place % 2) << 3, UInt8(pdu.count + 4), UInt8(pdu.count), 0, 4, 0]
      air.append(
        LoggedPacket(
          SamplePackets.air(.valid, place == 0 ? .central : .peripheral),
          at: StrapPackets.start + Int64(place + 1) * 1_000_000 - 10_000, address + header + pdu))
    }
    var packets = air.map { ($0.time, pcapngPackets([$0], interface: 1, linkType: 256)) }
    packets += session(rates).map { ($0.time, pcapngPackets([$0], linkType: 201)) }
    packets.sort { $0.0 < $1.0 }
    let replayed = try await replay(
      pcapngSection() + pcapngInterface(linkType: 201) + pcapngInterface(linkType: 256)
        + packets.flatMap(\.1))
    #expect(self.rates(replayed) == rates)
    #expect(marks(replayed).count { $0 == "1 repeated" } == 3)
  }

  // MARK: - Sections with several interfaces

  @Test func `in a continued section each interface continues the one with its number and name`()
    async throws
  {
    let second = interfaces(["b", "a"], [part(from: 4, [90]), part(from: 4, [61])])
    let log = interfaces(["a", "b"], [beginning, part(from: 1, [80])]) + second
    let replayed = try await replay(log)
    #expect(rates(replayed) == [60, 61])
    // Interfaces without names are identified by their numbers.
    let unnamed =
      interfaces([nil, nil], [beginning, part(from: 1, [80])])
      + interfaces([nil, nil], [part(from: 4, [61]), part(from: 4, [90])])
    #expect(rates(try await replay(unnamed)) == [60, 61])
  }

  @Test func `sections are separate if there are more than any recorder writes`() async throws {
    let parts = (0..<1100).map { part(from: 4 + 2 * Int64($0), [61]) }
    let replayed = try await replay(([beginning] + parts).flatMap { pcapngLog($0, linkType: 201) })
    #expect(rates(replayed) == [60])
  }
}

/// Tests records whose times cannot be right.
@Suite struct RecordTimeTests {
  private func replay(
    _ log: [UInt8], latestPlausible: Int64 = .max
  ) async throws -> ReplayTally {
    let folder = try TemporaryFolder()
    return try await Replayed(
      PacketReplayCentral(
        path: folder.file("log", log),
        latestPlausible: ReceiptTime(microsecondsSince1970: latestPlausible))
    ).tally
  }

  private static var writers: [(name: String, write: ([LoggedPacket]) -> [UInt8])] {
    [
      ("btsnoop 1001", btsnoopH1Log), ("btsnoop 1002", btsnoopH4Log), ("btsnoop 2001", btsnoopMonitorLog),
      ("btsnooz", { btsnoozLog($0) }), ("hcidump", hciDumpLog),
      ("pklg big", { packetLoggerLog($0, .big) }), ("pklg little", { packetLoggerLog($0, .little) }),
      ("pcap big", { pcapLog($0, linkType: 201, .big) }),
      ("pcap little", { pcapLog($0, linkType: 254, .little, nanoseconds: true) }),
      ("pcapng big", { pcapngLog($0, linkType: 187, .big) }),
      ("pcapng little", { pcapngLog($0, linkType: 254, .little) }),
    ]
  }

  private func session(from second: Int64 = 0, connected: Bool = true) -> [LoggedPacket] {
    var session = StrapPackets(from: second)
    if connected { session.connect() }
    session.measure([60, 61])
    return session.packets
  }

  @Test func `times in 1970 are counted in each container, and earlier ones if the container supports them`()
    async throws
  {
    for (name, write) in Self.writers {
      let epoch = session().map {
        LoggedPacket($0.content, at: $0.time.microsecondsSince1970 - StrapPackets.start, $0.bytes)
      }
      let tally = try await replay(write(epoch))
      #expect(tally.recordsTooEarly == 3, "\(name)")
      #expect(tally.earliestTime == ReceiptTime(microsecondsSince1970: 0), "\(name)")
      #expect(tally.clockStepsBack.count == 0)
      #expect(try await replay(write(session())).recordsTooEarly == 0, "\(name)")
    }
    let zero = btsnoopRecord(flags: 1, at: -0x00DC_DDB3_0F2F_8000, [0x40, 0x20, 0, 0])
    let tally = try await replay(btsnoopH1Log(session()) + zero)
    #expect(tally.recordsTooEarly == 1)
    // A record without a time does not count as a clock that went back.
    #expect(tally.clockStepsBack.count == 0)
  }

  @Test func `a clock that goes back is reported in each container`() async throws {
    for (name, write) in Self.writers where name != "btsnooz" {
      let tally = try await replay(
        write(session(from: 3600) + session(from: 0, connected: false) + session(from: 10, connected: false)))
      #expect(tally.clockStepsBack.count == 1, "\(name)")
      #expect(tally.clockStepsBack.greatest == 3_602_000_000, "\(name)")
      #expect(tally.clockStepsAhead.count == 0, "\(name)")
    }
  }

  @Test func `a clock that goes far ahead during a connection is reported in each container`() async throws {
    for (name, write) in Self.writers where name != "btsnooz" {
      let tally = try await replay(write(session() + session(from: 7200, connected: false)))
      #expect(tally.clockStepsAhead.count == 1, "\(name)")
      #expect(tally.clockStepsAhead.greatest == 7_198_000_000, "\(name)")
    }
    var ended = StrapPackets()
    ended.connect()
    ended.measure([60])
    ended.disconnect()
    #expect(try await replay(btsnoopH4Log(ended.packets + session(from: 7200))).clockStepsAhead.count == 0)
    let soon = session() + session(from: 602, connected: false)
    #expect(try await replay(btsnoopH4Log(soon)).clockStepsAhead.count == 0)
  }

  @Test func `packets slightly out of order are not a step of the clock`() async throws {
    var packets = session()
    packets[2].time.microsecondsSince1970 = packets[1].time.microsecondsSince1970 - 1_000_000
    #expect(try await replay(btsnoopH4Log(packets)).clockStepsBack.count == 0)
    packets[2].time.microsecondsSince1970 -= 1
    #expect(try await replay(btsnoopH4Log(packets)).clockStepsBack.count == 1)
  }

  @Test func `each interface has its own clock`() async throws {
    var log = pcapngSection() + pcapngInterface(linkType: 201) + pcapngInterface(linkType: 201)
    for second in 0..<4 as Range<Int64> {
      for (interface, ahead) in [(0, 0), (1, 3600)] as [(UInt32, Int64)] {
        log += pcapngPackets(session(from: second * 3 + ahead), interface: interface, linkType: 201)
      }
    }
    let tally = try await replay(log)
    #expect(tally.clockStepsBack.count == 0 && tally.clockStepsAhead.count == 0)
    #expect(tally.records == 24)
  }

  @Test func `times in the future are counted`() async throws {
    let tally = try await replay(btsnoopH4Log(session()), latestPlausible: StrapPackets.start + 1_000_000)
    #expect(tally.recordsTooLate == 1)
    #expect(tally.latestTime?.microsecondsSince1970 == StrapPackets.start + 2_000_000)
  }
}
