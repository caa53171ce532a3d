import BlueZ
import Bluetooth
import Foundation
import Glibc
import HealthDataSync
import HealthKit
import StrapSimulator
import Testing

@testable import Gateway
@testable import Ingestion
@testable import TestSupport
@testable import hrgate

private let begin = EveryEvent.begin
private let strap = EveryEvent.strap

private func time(_ second: Int64) -> ReceiptTime { EveryEvent.time(second) }

/// Tests the output lines of `hrgate run` against its schema.
@Suite(.timeLimit(.minutes(30))) struct RunLinesTests {
  private let folder: TemporaryFolder
  private let schema: JSONSchema

  init() throws {
    folder = try TemporaryFolder()
    schema = try JSONSchema(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../docs/hrgate-run.schema.json")
        .standardized)
  }

  private func lines(
    of events: AsyncStream<TimedGatewayEvent>, _ options: RunLines.Options
  ) async throws -> [String] {
    let path = folder.path("out")
    let output = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(output >= 0)
    defer { close(output) }
    try await RunLines.show(events.updates(of: options.main), options, to: output)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private func objects(_ lines: [String]) throws -> [[String: Any]] {
    let objects = try lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    for object in objects { #expect(schema.faults(in: object) == [], "\(object)") }
    return objects
  }

  @Test func `every event is as the schema has it, and the schema has no other`() async throws {
    let objects = try objects(
      try await lines(of: EveryEvent.timed(EveryEvent.all), .init(isJSON: true, showsMeasurements: true)))
    // The output also has lines for events that do not come from the gateway itself.
    let others =
      try [JSONLine.text(RunEvent.Dropped(count: 3))]
      + ["No space left on device", nil].map { failure in
        try JSONLine.text(RunEvent.Metrics(MetricsUpdate(time: .now, path: "/m.prom", failure: failure)))
      }
      + SyncUpdate.State.allCases.map { try JSONLine.text(RunEvent.Sync(Self.update($0))) }
    let hers = try self.objects(
      try await lines(
        of: EveryEvent.timed([.refused(reason: "it is full")] + EveryEvent.all, of: "Anna\u{9B}"),
        .init(isJSON: true, showsMeasurements: true, main: "Anna\u{9B}")))
    #expect(hers.allSatisfy { $0["person"] as? String == "Anna\u{9B}" } && hers.count == objects.count + 1)
    #expect(objects.allSatisfy { $0["person"] == nil })
    let advice = hers.compactMap { $0["advice"] as? String }.filter { $0.contains("hrgate pair") }
    #expect(!advice.isEmpty && advice.allSatisfy { $0.hasSuffix("--person 'Anna\u{9B}'") })
    let seen = Set(try (objects + hers + self.objects(others)).compactMap { $0["event"] as? String })
    #expect(seen == Set(schema.events))
    let battery = try #require(objects.first { $0["event"] as? String == "battery" })
    #expect(
      battery as NSDictionary == [
        "event": "battery", "battery": 85, "monitor": "F0:0D:BE:A7:01:01", "name": "H\u{9B}10",
        "time": Timestamp.text(time(Int64(1 + 2 * FollowState.allCases.count))),
      ])
  }

  private static func update(_ state: SyncUpdate.State) -> SyncUpdate {
    SyncUpdate(
      time: Date(timeIntervalSince1970: Double(time(9).microsecondsSince1970) / 1e6), destination: "lab",
      kind: "postgresql", state: state,
      error: state.isTrouble ? "the server is away\u{1B}" : nil)
  }

  @Test(arguments: [true, false])
  func `events of destinations are printed between the gateway's, and none after its end`(
    isJSON: Bool
  ) async throws {
    let path = folder.path("sync")
    let output = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(output) }
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    let (others, beside) = AsyncStream.makeStream(of: RunUpdate.self)
    async let shown: Void = RunLines.show(events.updates(), .init(isJSON: isJSON), others: others, to: output)
    beside.yield(.sync(Self.update(.failing)))
    event.yield(TimedGatewayEvent(emitted: .now(), event: .missed(1)))
    #expect(
      try await eventually {
        try String(contentsOfFile: path, encoding: .utf8).contains("the server is away")
      })
    event.yield(TimedGatewayEvent(emitted: .now(), event: .ended(IngestionTally())))
    event.finish()
    try await shown
    beside.yield(.sync(Self.update(.current)))
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    guard isJSON else {
      #expect(
        lines[1] == "\(Timestamp.text(time(9)))  sync  lab  failing  the server is away\\u{1B}")
      return
    }
    #expect(try objects(lines).map { $0["event"] as? String } == ["missed", "sync", "end"])
  }

  @Test func `the time of a line is that of the event, and of a measurement that of its receipt`()
    async throws
  {
    let objects = try objects(
      try await lines(of: EveryEvent.timed(EveryEvent.all), .init(isJSON: true, showsMeasurements: true)))
    for (number, object) in objects.prefix(1 + FollowState.allCases.count * 2).enumerated() {
      #expect(object["time"] as? String == Timestamp.text(time(Int64(number))))
    }
    let measured = objects.filter { $0["event"] as? String == "measurement" }
    #expect(measured.map { $0["time"] as? String } == [Timestamp.text(time(7)), Timestamp.text(time(7))])
    #expect(measured.map { $0["heartRate"] as? Int } == [300, 0])
    #expect(measured.first?["intervals"] as? [Double] == [0.8125, 0])
  }

  @Test func `a schema finds what does not fit it`() throws {
    let end = try JSONLine.text(RunEvent.End(IngestionTally(), at: Timestamp.text(begin)))
    let sound = try #require(JSONSerialization.jsonObject(with: Data(end.utf8)) as? [String: Any])
    #expect(schema.faults(in: sound) == [])
    for (field, value): (String, Any) in [
      ("new", 1), ("time", "now"), ("duplicates", -1), ("duplicates", 0.5), ("duplicates", true),
      ("stored", ["x": "1"]), ("monitors", [["address": "x"]]), ("event", "ended"),
    ] {
      #expect(schema.faults(in: sound.merging([field: value]) { $1 }) != [], "\(field)")
    }
    #expect(schema.faults(in: sound.filter { $0.key != "rejected" }) != [])
  }

  @Test func `measurements are printed only on request`() async throws {
    for options in [RunLines.Options(isJSON: true), RunLines.Options(isJSON: false, showsMeasurements: true)]
    {
      let text = try await lines(of: EveryEvent.timed(EveryEvent.all), options).joined(separator: "\n")
      for value in ["heartRate", "300", "0.8125", "65535"] { #expect(!text.contains(value), "\(value)") }
    }
  }

  @Test func `a failure reports once that measurements are lost, and their number at its end`()
    async throws
  {
    struct FullError: LocalizedError { var errorDescription: String? { "the disk is full" } }
    func report(lost: Int, fails: Bool, heldBack: Int = 4) -> GatewayEvent {
      var tally = IngestionTally()
      tally.measurements = lost
      tally.rejected = lost > 0 ? [.storeFailed: lost] : [:]
      return .committed(CommitReport(tally: tally, heldBack: heldBack, failure: fails ? FullError() : nil))
    }
    let events: [GatewayEvent] = [
      .enrolled([]), report(lost: 0, fails: false), report(lost: 0, fails: true),
      report(lost: 0, fails: true), report(lost: 2, fails: true), report(lost: 9, fails: true),
      report(lost: 10, fails: false, heldBack: 0), report(lost: 10, fails: false, heldBack: 0),
      report(lost: 10, fails: true), report(lost: 11, fails: true), .ended(IngestionTally()),
    ]
    let objects = try objects(
      try await lines(of: EveryEvent.timed(events), .init(isJSON: true))
    ).filter { $0["event"] as? String == "store" }
    #expect(objects.map { $0["lost"] as? Int } == [nil, 2, 10, nil, 1], "\(objects)")
    #expect(
      objects.map { $0["failure"] as? String }
        == ["the disk is full", "the disk is full", nil, "the disk is full", "the disk is full"])
    let texts = try await lines(of: EveryEvent.timed(events), .init())
    #expect(
      texts.contains { $0.contains("2 measurements are lost; new measurements are lost too") }, "\(texts)")
    #expect(
      texts.contains { $0.contains("can be written to again") && $0.contains("10 measurements are lost") })
  }

  @Test func `lost measurements are also reported while a store hangs`() async throws {
    func counted(_ lost: Int) -> GatewayEvent {
      var tally = IngestionTally()
      tally.measurements = lost
      tally.rejected = [.storeFailed: lost]
      return .counted(tally, heldBack: 7)
    }
    let events: [GatewayEvent] = [
      .enrolled([]), .hanging(.store, true), counted(0), counted(3), counted(5), .hanging(.store, false),
      .ended(IngestionTally()),
    ]
    let objects = try objects(
      try await lines(of: EveryEvent.timed(events), .init(isJSON: true))
    ).filter { $0["event"] as? String == "store" }
    #expect(objects.map { $0["lost"] as? Int } == [nil, 3, 5], "\(objects)")
    #expect(objects.map { $0["failure"] != nil } == [true, true, false])
  }

  @Test func `a clock that was set back is one line with the marked time range`() async throws {
    let lines = try await lines(of: EveryEvent.timed(EveryEvent.all), .init(isJSON: false))
    let line = try #require(lines.first { $0.contains("the clock was set back") })
    #expect(
      line.hasSuffix(
        "  the clock was set back by at least 1 h 0 min; samples stored from \(Timestamp.text(time(3600))) to "
          + "\(Timestamp.text(time(3660))) are marked"))
    let object = try #require(
      try objects(try await self.lines(of: EveryEvent.timed(EveryEvent.all), .init(isJSON: true))).first {
        $0["event"] as? String == "clock"
      })
    #expect(object["clockAhead"] as? Double == 3600 && object["atLeast"] as? Bool == true)
    #expect(object["start"] as? String == Timestamp.text(time(3600)))
  }

  @Test func `no line does anything to a terminal`() async throws {
    for isJSON in [true, false] {
      let text = try await lines(of: EveryEvent.timed(EveryEvent.all), .init(isJSON: isJSON)).joined()
      #expect(!text.unicodeScalars.contains { $0.isControl })
    }
  }

  @Test func `a gateway's run from its start to its end is as the schema has it`() async throws {
    let registry = try MonitorRegistry(at: .memory)
    let profile = StrapProfile.sample(index: 0)
    try await registry.enrol(
      EnrolledMonitor(address: profile.address, name: profile.name, isBonded: false, enrolled: begin))
    let central = SimulatedCentral(straps: [profile], duration: .seconds(600), seed: 4, start: begin)
    let gateway = HeartRateGateway(registry, central: central)
    let updates = gateway.updates()
    let path = folder.path("run")
    let output = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(output) }
    async let shown: Void = RunLines.show(updates, .init(isJSON: true, showsMeasurements: true), to: output)
    try await gateway.run()
    try await shown
    let objects = try objects(
      String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init))
    let kinds = objects.compactMap { $0["event"] as? String }
    #expect(kinds.last == "end")
    #expect(Set(kinds).isSuperset(of: ["measurement", "gap"]))
  }

  @Test func `a run without a bus starts with the enrolled monitors and reports the missing bus`()
    async throws
  {
    let path = folder.path("s.sqlite")
    let registry = try MonitorRegistry(at: .file(path))
    try await registry.enrol(EnrolledMonitor(address: strap, name: "H10", isBonded: true, enrolled: begin))
    let output = folder.path("lines")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--json", "--measurements", "--store", path]
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    #expect(
      try await eventually { try String(contentsOfFile: output, encoding: .utf8).contains("bus-absent") })
    process.terminate()
    process.waitUntilExit()
    let objects = try objects(
      String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init))
    #expect(objects.first?["event"] as? String == "start")
    #expect(
      objects.first?["monitors"] as? NSArray == [
        ["monitor": "F0:0D:BE:A7:01:01", "name": "H10", "bonded": true]
      ])
    #expect(objects.contains { $0["state"] as? String == "bus-absent" && $0["advice"] != nil })
    #expect(objects.last?["event"] as? String == "end")
  }

  @Test(arguments: FollowState.allCases)
  func `advice names the monitor's own address, for programs too`(state: FollowState) {
    let status = FollowStatus(monitor: strap, state: state)
    let line = RunEvent.State(status, name: nil, advice: status.advice, at: "now")
    #expect(!line.text.contains("ADDRESS"))
    #expect(line.advice?.contains("ADDRESS") != true)
    #expect((line.advice == nil) == (state.advice == nil))
    if state == .bondLost { #expect(line.text.contains("hrgate pair F0:0D:BE:A7:01:01")) }
  }

  @Test(arguments: [["--measurements"], ["--json", "--measurements", "--no-values"]])
  func `options that contradict each other are refused`(arguments: [String]) throws {
    #expect(try Command.hrgate(["run", "--store", folder.path("none")] + arguments).status == 2)
  }
}
