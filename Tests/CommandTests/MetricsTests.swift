import ArgumentParser
import BlueZ
import Bluetooth
import Dispatch
import Foundation
import HealthKit
import Synchronization
import Testing

@testable import Gateway
@testable import Ingestion
@testable import TestSupport
@testable import hrgate

private let annas = BluetoothAddress(bits: 0xF00D_BEA7_0201, kind: .random)
private let owners = BluetoothAddress(bits: 0xF00D_BEA7_0202, kind: .random)
private let bens = BluetoothAddress(bits: 0xF00D_BEA7_0203, kind: .random)

/// Tests the Prometheus metrics of a running gateway.
@Suite(.timeLimit(.minutes(30))) struct MetricsTests {
  /// Three stores with a monitor each, and random counts.
  private struct Story {
    static let everybody: [(person: String?, strap: BluetoothAddress)] = [
      (nil, owners), ("Anna", annas), ("Ben", bens),
    ]

    var generator: SeededGenerator
    var state = GatewayState()
    private var tallies: [String?: IngestionTally] = [:]

    init(_ seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      for (person, strap) in Self.everybody {
        var monitor = EnrolledMonitor(
          address: strap, name: "the strap of \(person ?? "me")", isBonded: true, enrolled: .zero)
        monitor.battery = 50
        send(.enrolled([monitor]), of: person)
      }
    }

    mutating func send(_ event: GatewayEvent, of person: String? = nil) {
      state.update(with: TimedGatewayEvent(emitted: .now(), person: person, event: event))
    }

    private mutating func some() -> Int { Int.random(in: 0..<1000, using: &generator) }

    /// Adds random counts. Some of the new frames are still pending.
    mutating func count() {
      for (person, strap) in Self.everybody {
        var tally = tallies[person] ?? IngestionTally()
        tally.stored[HKQuantityType(.heartRate).identifier, default: 0] += some()
        tally.stored["Other", default: 0] += some()
        tally.duplicates += some()
        for rejection in Rejection.allCases where Bool.random(using: &generator) {
          tally.rejected[rejection, default: 0] += some()
        }
        tally.anomalies["oddIntervalOctets", default: 0] += some()
        // The number of pending frames decreases only if their outcome is known.
        let known = tally.storedMeasurements + tally.duplicates + tally.rejected.values.reduce(0, +)
        tally.measurements = max(tally.measurements, known) + some()
        tally.monitors = [
          MonitorTally(
            peripheral: .address(strap), name: "", bundleIdentifier: "", measurements: tally.measurements)
        ]
        tallies[person] = tally
        send(.committed(CommitReport(tally: tally, heldBack: some())), of: person)
      }
    }

    func metrics() throws -> Exposition {
      try Exposition(MetricFamily.text(state.metrics(now: .now(), version: "1.2", isRunning: true)))
    }
  }

  @Test func `for each person, frames are the sum of stored, duplicate, rejected and pending ones`() throws {
    for seed in 0..<UInt64(isLongRun ? 2000 : 5) {
      var story = Story(seed)
      var before: Exposition?
      for _ in 0..<3 {
        story.count()
        let read = try story.metrics()
        for (person, strap) in Story.everybody {
          // The owner's metrics have no person label.
          func sum(_ name: String) -> Double {
            read.samples.filter { $0.key.name == name && $0.key.labels["person"] == person }.map(\.value)
              .reduce(0, +)
          }
          let parts = ["stored_total", "duplicate_total", "rejected_total", "waiting"].map {
            sum("hrgate_frames_\($0)")
          }
          #expect(sum("hrgate_frames_total") == parts.reduce(0, +), "seed \(seed) \(person ?? "owner")")
          #expect(
            sum("hrgate_frames_total") == Double(story.state.accounts[person]?.tally.measurements ?? -1))
          #expect(sum("hrgate_monitor_frames_total") == sum("hrgate_frames_total"), "\(strap)")
        }
        for (sample, value) in before?.samples ?? [:] where read.types[sample.name] == "counter" {
          #expect(read.samples[sample] ?? -1 >= value, "\(sample)")
        }
        before = read
      }
    }
  }

  @Test func `metrics show compaction failures, clock failures and missed events`() throws {
    struct FullError: Error {}
    var story = Story(2)
    func failing(_ name: String) throws -> [String] {
      let failing = try story.metrics().samples.filter {
        $0.key.name == "hrgate_\(name)_failing" && $0.value == 1
      }
      return failing.keys.map { $0.labels["person"] ?? "" }
    }
    #expect(try failing("condensing").isEmpty && failing("clock").isEmpty)
    #expect(try story.metrics().sum("hrgate_events_missed_total") == 0)
    var refused = IngestionTally()
    refused.refusedClockChanges = 1
    story.send(.condensed(CondensingReport(failure: FullError())), of: "Anna")
    story.send(.committed(CommitReport(tally: refused, heldBack: 0, clockRefusal: FullError())), of: "Ben")
    story.send(.missed(12))
    story.send(.missed(3), of: "Ben")
    #expect(try failing("condensing") == ["Anna"] && failing("clock") == ["Ben"])
    let read = try story.metrics()
    #expect(
      read.sum("hrgate_events_missed_total") == 15 && read.types["hrgate_events_missed_total"] == "counter")
    story.send(.condensed(CondensingReport(packed: 3)), of: "Anna")
    story.send(.committed(CommitReport(tally: IngestionTally(), heldBack: 0)), of: "Ben")
    #expect(try failing("condensing").isEmpty && failing("clock").isEmpty)
  }

  @Test(arguments: ["", "hrgate.prom", "./hrgate.prom"])
  func `the option accepts the same paths as the setting`(path: String) {
    do {
      _ = try RunCommand.parse(["--metrics", path])
      Issue.record("\(path) is taken")
    } catch {
      #expect(RunCommand.message(for: error).contains("--metrics must be a path that begins with / or ~/"))
    }
    #expect(throws: Never.self) { try RunCommand.parse(["--metrics", "~/hrgate.prom"]) }
  }

  @Test func `each rejection reason exists before it happens, and each monitor is in one state`() throws {
    var story = Story(1)
    story.send(.committed(CommitReport(tally: IngestionTally(), heldBack: 0)), of: "Anna")
    story.send(.state(FollowStatus(monitor: annas, state: .silent)), of: "Anna")
    let read = try story.metrics()
    for rejection in Rejection.allCases {
      let sample = Exposition.Sample(
        name: "hrgate_frames_rejected_total", labels: ["person": "Anna", "reason": rejection.rawValue])
      #expect(read.samples[sample] == 0, "\(rejection)")
    }
    let labels = ["person": "Anna", "monitor": annas.description]
    #expect(read.sum("hrgate_monitor_state", labels) == 1)
    #expect(read.sum("hrgate_monitor_state", labels.merging(["state": "silent"]) { $1 }) == 1)
    #expect(read.samples.count { $0.key.name == "hrgate_monitor_state" } == 3 * FollowState.allCases.count)
    #expect(read.sum("hrgate_monitor_battery_ratio", labels) == 0.5)
    #expect(read.sum("hrgate_info", ["version": "1.2"]) == 1 && read.sum("hrgate_running") == 1)
    for name in read.types.keys {
      #expect(name.hasPrefix("hrgate_") && read.helps[name]?.hasSuffix(".") == true, "\(name)")
    }
  }

  @Test func `a failure is a metric of its person and is cleared`() throws {
    struct FullError: Error {}
    var story = Story(2)
    func failing(_ person: String?) throws -> Double? {
      let metrics = try story.metrics()
      return metrics.samples[
        .init(name: "hrgate_store_failing", labels: person.map { ["person": $0] } ?? [:])]
    }
    #expect(try failing("Anna") == 0 && failing(nil) == 0)
    for event: GatewayEvent in [
      .hanging(.store, true), .refused(reason: "it is damaged"),
      .committed(CommitReport(tally: IngestionTally(), heldBack: 3, failure: FullError())),
    ] {
      story.send(event, of: "Anna")
      #expect(try failing("Anna") == 1 && failing(nil) == 0 && failing("Ben") == 0, "\(event)")
      story.send(.hanging(.store, false), of: "Anna")
      story.send(.enrolled([]), of: "Anna")
      story.send(.committed(CommitReport(tally: IngestionTally(), heldBack: 0)), of: "Anna")
      #expect(try failing("Anna") == 0, "\(event)")
    }
  }

  @Test func `metrics contain no measured values and no monitor names`() throws {
    var story = Story(3)
    let receipt = ReceiptTime(microsecondsSince1970: 1_800_000_000_500_000)
    story.send(
      .measured([
        LiveMeasurement(
          monitor: annas, receiptTime: receipt, heartRate: 187, hasContact: true, energy: 54_321,
          intervals: [0.3125])
      ]), of: "Anna")
    let text = MetricFamily.text(story.state.metrics(now: .now(), version: "1", isRunning: true))
    #expect(text.contains("1800000000.5\n"))
    for value in ["187", "54321", "0.3125", "strap of"] { #expect(!text.contains(value), "\(value)") }
  }

  // MARK: - The metrics file

  private func report(
    _ events: AsyncStream<TimedGatewayEvent>, to path: String, _ clock: ManualClock,
    _ failures: Failures = Failures(),
    writer: MetricsWriter? = nil, timeout: DispatchTimeInterval = .seconds(600)
  ) -> MetricsReport {
    let file = MetricsFile(path, isGroups: false)
    return MetricsReport(
      events.states(), of: nil, to: path, writer ?? MetricsWriter { try file.write($0) }, version: "1",
      clock: clock,
      timeout: timeout,
      report: { update in failures.all.withLock { $0.append(update.failure) } })
  }

  /// The reported write errors, or `nil` for a write that succeeded again.
  private final class Failures: Sendable { let all = Mutex<[String?]>([]) }

  private func read(_ path: String) throws -> Exposition? {
    (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { try? Exposition($0) }
  }

  @Test func `the file is written at once, repeatedly, and at the end with the final tally`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hrgate.prom")
    let clock = ManualClock()
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    let report = report(events, to: path, clock)
    let run = Task { await report.run() }
    event.yield(TimedGatewayEvent(emitted: .now(), event: .enrolled([])))
    #expect(try await eventually { try read(path)?.sum("hrgate_running") == 1 })
    event.yield(
      TimedGatewayEvent(emitted: .now(), event: .committed(CommitReport(tally: tally(2), heldBack: 0))))
    #expect(
      try await eventually {
        clock.advance(by: .seconds(15))
        return try read(path)?.sum("hrgate_frames_total") == 2
      })
    event.yield(TimedGatewayEvent(emitted: .now(), event: .ended(tally(3))))
    event.finish()
    #expect(await run.value == nil)
    let last = try #require(try read(path))
    #expect(last.sum("hrgate_running") == 0 && last.sum("hrgate_frames_total") == 3)
  }

  @Test func `a gateway that only waits for another one does not write the file`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("hrgate.prom", Array("the other's".utf8))
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    event.yield(TimedGatewayEvent(emitted: .now(), event: .waiting(process: 7)))
    event.yield(TimedGatewayEvent(emitted: .now(), event: .ended(IngestionTally())))
    event.finish()
    #expect(await report(events, to: path, ManualClock()).run() == nil)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "the other's")
    // A run that ends before it has started does not write the file.
    #expect(await report(AsyncStream { $0.finish() }, to: path, ManualClock()).run() == nil)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "the other's")
  }

  @Test func `a write error is reported once, and so is the next success`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("none/hrgate.prom")
    let clock = ManualClock()
    let failures = Failures()
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    let report = report(events, to: path, clock, failures)
    let run = Task { await report.run() }
    event.yield(TimedGatewayEvent(emitted: .now(), event: .enrolled([])))
    for _ in 0..<3 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(15))
    }
    try FileManager.default.createDirectory(
      atPath: folder.path("none"), withIntermediateDirectories: true)
    #expect(
      await eventually {
        clock.advance(by: .seconds(15))
        return failures.all.withLock { $0.count } == 2
      })
    event.finish()
    #expect(await run.value == nil)
    #expect(
      failures.all.withLock(\.self) == ["\(path) cannot be written: No such file or directory", nil])
    #expect(try read(path)?.sum("hrgate_running") == 0)
  }

  @Test func `an error of the last write is returned by the run`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("place/hrgate.prom")
    try FileManager.default.createDirectory(
      atPath: folder.path("place"), withIntermediateDirectories: true)
    let failures = Failures()
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    let report = report(events, to: path, ManualClock(), failures)
    let run = Task { await report.run() }
    event.yield(TimedGatewayEvent(emitted: .now(), event: .enrolled([])))
    #expect(try await eventually { try read(path) != nil })
    try FileManager.default.removeItem(atPath: folder.path("place"))
    event.finish()
    #expect(await run.value == "\(path) cannot be written: No such file or directory")
    #expect(failures.all.withLock(\.self) == [])
  }

  @Test func `a hanging file system is reported, and delays neither the events nor the end`() async throws {
    let clock = ManualClock()
    let failures = Failures()
    let shut = DispatchSemaphore(value: 0)
    let writes = Mutex(0)
    let writer = MetricsWriter { _ in
      writes.withLock { $0 += 1 }
      shut.wait()
      shut.signal()
    }
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    let report = report(events, to: "m.prom", clock, failures, writer: writer, timeout: .milliseconds(1))
    let run = Task { await report.run() }
    event.yield(TimedGatewayEvent(emitted: .now(), event: .enrolled([])))
    #expect(await eventually { failures.all.withLock { $0.count } == 1 })
    #expect(failures.all.withLock(\.self) == [MetricsWriter.hanging.message])
    event.yield(TimedGatewayEvent(emitted: .now(), event: .ended(IngestionTally())))
    event.finish()
    // The end of the run is not reported as another error, because the hanging file system was already
    // reported.
    #expect(await run.value == nil)
    #expect(writes.withLock(\.self) == 1)
    shut.signal()
  }

  @Test func `the last file contains everyone who was there at the end, and no removed person`() async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("hrgate.prom")
    let (events, event) = AsyncStream.makeStream(of: TimedGatewayEvent.self)
    func send(_ next: GatewayEvent, of person: String? = nil) {
      event.yield(TimedGatewayEvent(emitted: .now(), person: person, event: next))
    }
    for (person, strap) in Story.everybody {
      send(
        .enrolled([EnrolledMonitor(address: strap, name: "x", isBonded: true, enrolled: .zero)]), of: person)
    }
    send(.ended(tally(7)), of: "Ben")
    send(.stopping)
    send(.ended(tally(4)), of: "Anna")
    send(.ended(tally(3)))
    event.finish()
    #expect(await report(events, to: path, ManualClock()).run() == nil)
    let last = try #require(try read(path))
    #expect(last.sum("hrgate_running") == 0)
    #expect(last.sum("hrgate_frames_total", ["person": "Anna"]) == 4 && last.sum("hrgate_frames_total") == 7)
    let monitors = Set(last.samples.keys.compactMap { $0.labels["monitor"] })
    #expect(monitors == [annas.description, owners.description])
  }

  @Test func `frames that arrive while a commit hangs are counted`() throws {
    var story = Story(4)
    story.send(.committed(CommitReport(tally: tally(2), heldBack: 0)), of: "Anna")
    var more = tally(2)
    more.measurements = 9
    story.send(.counted(more, heldBack: 11), of: "Anna")
    let read = try story.metrics()
    #expect(read.sum("hrgate_frames_total", ["person": "Anna"]) == 9)
    #expect(read.sum("hrgate_frames_waiting", ["person": "Anna"]) == 7)
    #expect(read.sum("hrgate_store_held_back", ["person": "Anna"]) == 11)
  }

  @Test func `a hanging bus is not a store failure`() throws {
    var story = Story(5)
    story.send(.hanging(.bus, true))
    #expect(try story.metrics().sum("hrgate_bus_failing") == 1)
    #expect(try story.metrics().sum("hrgate_store_failing") == 0 && story.state.storeFailure == nil)
    #expect(story.state.summary.contains("the bus does not answer"))
    story.send(.hanging(.bus, false))
    #expect(try story.metrics().sum("hrgate_bus_failing") == 0)
  }

  private func tally(_ measurements: Int) -> IngestionTally {
    var tally = IngestionTally()
    tally.measurements = measurements
    tally.stored = [HKQuantityType(.heartRate).identifier: measurements]
    return tally
  }

  @Test func `a gateway writes the metrics file, which only its owner can read`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hrgate.prom")
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--bus", "none", "--store", folder.path("s.sqlite")]
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
      .merging(["HRGATE_METRICS": path]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    #expect(try await eventually { try read(path)?.sum("hrgate_running") == 1 })
    process.terminate()
    process.waitUntilExit()
    #expect(try read(path)?.sum("hrgate_running") == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }
}

extension ReceiptTime {
  fileprivate static let zero = ReceiptTime(microsecondsSince1970: 0)
}
