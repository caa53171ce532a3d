import Bluetooth
import PacketLog
import PacketReplay
import Testing

@testable import StrapSimulator
@testable import TestSupport

/// Tests that a session that was recorded in different ways counts each measurement once, for the right
/// monitor.
@Suite struct RecorderTests {
  private static let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)
  private static let duration = Duration.seconds(420)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Values of Heart Rate Measurement by peripheral, and the number of repetitions.
  private struct Heard: Equatable {
    var values: [PeripheralIdentity: [AttributeValue]] = [:]
    var copies = 0
  }

  private func write(_ straps: Int, _ options: StrapLogOptions = StrapLogOptions()) throws -> [String] {
    let path = folder.path("log")
    let summary = try StrapLog.write(
      to: path, straps: (0..<straps).map(StrapProfile.sample(index:)), duration: Self.duration, seed: 5,
      start: Self.start, options: options)
    guard options.rotation != nil else { return [path] }
    return (1...summary.files).map { StrapLogOptions.part($0, of: path) }
  }

  private func hear(_ central: some Central, _ heard: inout Heard) async throws {
    for try await batch in central.events() {
      for event in batch {
        if case .repeated(_, let count) = event { heard.copies += count }
        guard case .notified(let notification) = event,
          notification.characteristic == .heartRateMeasurement
        else { continue }
        heard.values[notification.peripheral, default: []].append(notification.value)
      }
    }
  }

  /// The values that the straps sent.
  private func sent(_ straps: Int) async throws -> Heard {
    var heard = Heard()
    try await hear(
      SimulatedCentral(
        straps: (0..<straps).map(StrapProfile.sample(index:)), duration: Self.duration, seed: 5,
        start: Self.start), &heard)
    return heard
  }

  /// The result of a replay of logs in one command.
  private func replay(_ paths: [String]) async throws -> (heard: Heard, tallies: [ReplayTally]) {
    let memory = ReplayMemory()
    var heard = Heard()
    var tallies: [ReplayTally] = []
    for log in ReplayPlan(paths: paths).logs {
      let central = PacketReplayCentral(path: log.path, memory: memory, isContinued: log.isContinued)
      try await hear(central, &heard)
      tallies.append(central.tally)
    }
    return (heard, tallies)
  }

  /// Returns the packets of a log, to write them in another container format.
  private func packets(_ path: String) throws -> [LoggedPacket] {
    RecordedLog(try PacketLogFile.open(path: path)).packets
  }

  @Test(arguments: [0, 0.1, 1])
  func `a sniffer's log gives each measurement once, however many acknowledgments were lost`(lost: Double)
    async throws
  {
    let paths = try write(3, StrapLogOptions(recorder: .air(lostAcknowledgements: lost)))
    let (heard, tallies) = try await replay(paths)
    #expect(try await heard == sent(3))
    let repetitions = tallies[0].anomalies["retransmission"] ?? 0
    #expect(lost == 0 ? repetitions == 0 : repetitions > Int(lost * 1000))
    // Long responses of the straps are sent in fragments, and some fragments are sent twice.
    #expect(tallies[0].anomalies.count <= 1)
  }

  @Test func `the same is true without stated senders`() async throws {
    let paths = try write(2, StrapLogOptions(recorder: .air(lostAcknowledgements: 0.2)))
    let packets = try packets(paths[0]).map { packet in
      var packet = packet
      packet.content = .linkLayer(LinkLayerReception(crc: .unknown))
      packet.bytes += [0, 0, 0]
      return packet
    }
    // Remove the advertising packets, so that the connection requests are missing. The CRCs are invented.
    let data = packets.filter { $0.bytes.prefix(4) != [0xD6, 0xBE, 0x89, 0x8E] }
    let path = try folder.file("plain", pcapngLog(data, linkType: 251, .little))
    let (heard, _) = try await replay([path])
    let sentValues = try await sent(2).values.values.map(\.count).reduce(0, +)
    #expect(heard.values.values.map(\.count).reduce(0, +) == sentValues)
  }

  @Test func `a strap's own log gives what it sent, under its known address`() async throws {
    let (heard, tallies) = try await replay(write(1, StrapLogOptions(recorder: .strap)))
    #expect(try await heard == sent(1))
    #expect(tallies[0].served == heard.values.values.first?.count)
    #expect(tallies[0].anomalies.isEmpty)
  }

  @Test(arguments: [StrapLogOptions.Recorder.host, .strap, .air(lostAcknowledgements: 0.1)])
  func `a log in many parts gives the same as the whole, in whatever order they are specified`(
    recorder: StrapLogOptions.Recorder
  ) async throws {
    let straps = recorder == .strap ? 1 : 3
    let paths = try write(straps, StrapLogOptions(recorder: recorder, rotation: .seconds(20)))
    // The log was split into 22 parts. The last one has only the ends of the connections.
    #expect(paths.count == 22)
    let (heard, tallies) = try await replay(paths.reversed())
    #expect(try await heard == sent(straps))
    #expect(tallies.allSatisfy { $0.unresolved.isEmpty && $0.inferred.isEmpty })
    // Without the first part, the peer's address is unknown, so the second part alone gives no values.
    #expect(try await replay([paths[1]]).heard.values.isEmpty)
  }

  private typealias Container = @Sendable ([LoggedPacket]) -> [UInt8]

  private static let containers: [(String, Container)] = [
    ("btsnoop 1001", btsnoopH1Log), ("btsnoop 1002", btsnoopH4Log), ("btsnoop 2001", btsnoopMonitorLog),
    ("pcap 187", { pcapLog($0, linkType: 187) }), ("pcap 201", { pcapLog($0, linkType: 201) }),
    ("pcap 254", { pcapLog($0, linkType: 254) }), ("pcapng 187", { pcapngLog($0, linkType: 187) }),
    ("pcapng 201", { pcapngLog($0, linkType: 201) }), ("pcapng 254", { pcapngLog($0, linkType: 254) }),
    ("PacketLogger", { packetLoggerLog($0) }),
  ]

  @Test(arguments: [StrapLogOptions.Recorder.host, .strap])
  func `parts of one recording may be in different containers`(
    recorder: StrapLogOptions.Recorder
  ) async throws {
    let straps = recorder == .strap ? 1 : 3
    let parts = try write(straps, StrapLogOptions(recorder: recorder, rotation: .seconds(40))).map(packets)
    let sent = try await sent(straps)
    for (name, container) in Self.containers {
      let paths = try parts.enumerated().map { number, part in
        try folder.file("\(name) \(number)", container(part))
      }
      let (heard, _) = try await replay(paths)
      // A server counts as one monitor even if no packet of the log reveals its address.
      #expect(heard.values.count == sent.values.count, "\(name)")
      for (_, values) in sent.values {
        #expect(heard.values.values.contains(values), "\(name)")
      }
    }
    let mixed = try parts.enumerated().map { number, part in
      try folder.file("mixed \(number)", Self.containers[number % Self.containers.count].1(part))
    }
    #expect(
      try await replay(mixed).heard.values.values.map(\.count).sorted()
        == sent.values.values.map(\.count).sorted())
  }

  @Test(arguments: containers.map(\.0))
  func `a log that begins in the middle gives all values before and after the proof`(name: String)
    async throws
  {
    let container = try #require(Self.containers.first { $0.0 == name }?.1)
    var packets = try packets(write(1)[0])
    // The log lacks the first 20 s, with the strap's discovery. The strap then reconnects without another
    // discovery.
    packets.removeAll { $0.time.microseconds(since: Self.start) < 20_000_000 }
    let configuration = LoggedPacket(
      .aclSent(), at: packets[20].time.microsecondsSince1970, [0x40, 0, 9, 0, 5, 0, 4, 0, 0x12, 9, 0, 1, 0])
    let answer = LoggedPacket(
      .aclReceived(), at: packets[20].time.microsecondsSince1970, [0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x13])
    packets.insert(contentsOf: [configuration, answer], at: 20)
    let (heard, tallies) = try await replay([folder.file("middle", container(packets))])
    let total = packets.count { $0.content == .aclReceived() && $0.bytes.dropFirst(8).first == 0x1B }
    #expect(total > 300)
    #expect(heard.values.values.map(\.count).reduce(0, +) == total)
    #expect(tallies[0].unresolved.isEmpty)
  }

  @Test func `equal options give equal logs`() throws {
    let options = StrapLogOptions(recorder: .air(lostAcknowledgements: 0.3))
    let first = try packets(write(2, options)[0])
    #expect(try packets(write(2, options)[0]) == first)
    #expect(zip(first.dropFirst(), first).allSatisfy { $0.time >= $1.time })
  }

  @Test(
    arguments: [
      ("gym.btsnoop", "gym-002.btsnoop"), ("a.b/gym", "a.b/gym-002"), (".hidden", ".hidden-002"),
      ("x/y.tar.gz", "x/y.tar-002.gz"),
    ])
  func `the number of a part precedes the extension`(path: String, part: String) {
    #expect(StrapLogOptions.part(2, of: path) == part)
    #expect(StrapLogOptions.part(1234, of: "a.b") == "a-1234.b")
  }
}
