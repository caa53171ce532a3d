import Bluetooth
import Foundation
import HealthKit
import Ingestion
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let peripheral = PeripheralIdentity.address(strap)

private func time(_ seconds: Double) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + Int64(seconds * 1e6))
}

private func frame(_ seconds: Double, _ heartRate: UInt16 = 60) -> CentralEvent {
  .notified(
    ValueNotification(
      peripheral: peripheral, characteristic: .heartRateMeasurement,
      value: HeartRateMeasurement(heartRate: heartRate, rrTicks: [1024]).encoded, receiptTime: time(seconds)))
}

/// A central that emits events when the test provides them.
private struct HandFedCentral: Central {
  private let stream: AsyncThrowingStream<[CentralEvent], any Error>
  private let continuation: AsyncThrowingStream<[CentralEvent], any Error>.Continuation

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
  func give(_ events: CentralEvent...) { continuation.yield(events) }
  func give(_ events: [CentralEvent]) { continuation.yield(events) }
  func end(_ error: (any Error)? = nil) { continuation.finish(throwing: error) }
}

/// The reports of a run.
private final class Reports: Sendable {
  private let reports = Mutex<[CommitReport]>([])

  var all: [CommitReport] { reports.withLock { $0 } }
  func append(_ report: CommitReport) { reports.withLock { $0.append(report) } }

  struct MissingError: Error {}

  /// Waits for a matching report.
  ///
  /// - Throws: ``MissingError`` if there is no such report in time.
  func first(where condition: (CommitReport) -> Bool) async throws -> CommitReport {
    guard await eventually({ all.contains(where: condition) }), let report = all.first(where: condition)
    else { throw MissingError() }
    return report
  }
}

/// A run of the pipeline, with a central whose events come from the test.
private struct LiveRun<C: Clock> where C.Duration == Duration {
  let central = HandFedCentral()
  let reports = Reports()
  let registry: MonitorRegistry
  let pipeline: LivePipeline<C>

  init(_ store: HKHealthStore, _ clock: C, _ change: (inout LivePolicy) -> Void = { _ in }) throws {
    var policy = LivePolicy()
    policy.commitInterval = .milliseconds(20)
    policy.firstRetry = .milliseconds(10)
    policy.longestRetry = .milliseconds(40)
    change(&policy)
    registry = try MonitorRegistry(store)
    pipeline = LivePipeline(registry, policy: policy, clock: clock, wallTime: { time(10_000) })
  }

  func callAsFunction(
    _ feed: (HandFedCentral, Reports) async throws -> Void
  ) async throws -> (tally: IngestionTally, failure: (any Error)?) {
    let known = try await registry.known(try await registry.monitors())
    async let ended = pipeline.run(central, known: known) { [reports] in reports.append($0) }
    do {
      try await feed(central, reports)
    } catch {
      central.end()
      _ = await ended
      throw error
    }
    central.end()
    let outcome = await ended
    return (outcome.tally, outcome.failure ?? outcome.loss?.cause)
  }
}

extension LiveRun where C == ContinuousClock {
  init(_ store: HKHealthStore, _ change: (inout LivePolicy) -> Void = { _ in }) throws {
    try self.init(store, ContinuousClock(), change)
  }
}

private func heartRates(in store: HKHealthStore) async throws -> [HKQuantitySample] {
  try await HKSampleQueryDescriptor(
    predicates: [.quantitySample(type: HKQuantityType(.heartRate))],
    sortDescriptors: [SortDescriptor(\.startDate)]
  ).result(for: store)
}

@Suite(.timeLimit(.minutes(30))) struct LivePipelineTests {
  /// Enrolls the strap in a store.
  private func enrolled(
    _ store: HKHealthStore, _ change: (inout EnrolledMonitor) -> Void = { _ in }
  ) async throws -> MonitorRegistry {
    let registry = try MonitorRegistry(store)
    var monitor = EnrolledMonitor(address: strap, name: "Strap", isBonded: false, enrolled: time(-100))
    monitor.sensorLocation = .chest
    monitor.deviceInformation[.serialNumberString] = "S1"
    change(&monitor)
    try await registry.enrol(monitor)
    return registry
  }

  @Test func `a frame is committed after the interval, even if no event follows`() async throws {
    let store = try HKHealthStore.inMemory()
    _ = try await enrolled(store)
    let clock = ManualClock()
    let run = try LiveRun(store, clock) { $0.commitInterval = .seconds(1) }
    let outcome = try await run { central, reports in
      central.give(.connected(peripheral, time(0)), frame(1))
      await clock.sleepers(1)
      clock.advance(by: .milliseconds(999))
      #expect(try await heartRates(in: store).isEmpty)
      #expect(reports.all.isEmpty && clock.sleeping == 1)
      clock.advance(by: .milliseconds(1))
      let report = try await reports.first { _ in true }
      #expect(report.tally.storedMeasurements == 1 && report.heldBack == 0 && report.failure == nil)
      #expect(try await heartRates(in: store).count == 1)
      // Without pending samples, no commit is scheduled.
      #expect(clock.sleeping == 0)
      central.give(frame(2))
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      _ = try await reports.first { $0.tally.storedMeasurements == 2 }
    }
    #expect(outcome.failure == nil && outcome.tally.isBalanced)
  }

  @Test
  func `samples of an enrolled monitor do not wait for a description, and a later reading overrides it`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let registry = try await enrolled(store)
    _ = try await LiveRun(store) { _ in }() { central, reports in
      central.give(.connected(peripheral, time(0)), frame(1))
      _ = try await reports.first { $0.tally.storedMeasurements == 1 }
      central.give(
        .valueRead(peripheral, .bodySensorLocation, [2]),
        .valueRead(peripheral, .firmwareRevisionString, AttributeValue(Array("9.1".utf8))), frame(2))
      _ = try await reports.first { $0.tally.storedMeasurements == 2 }
    }
    let samples = try await heartRates(in: store)
    #expect(samples.map(\.sourceRevision.source.name) == ["Strap", "Strap"])
    let locations = samples.map { $0.metadata?[HKMetadataKeyHeartRateSensorLocation] as? NSNumber }
    #expect(locations == [1, 2])
    #expect(samples.map(\.device?.firmwareVersion) == [nil, "9.1"])
    #expect(try await registry.monitor(strap)?.deviceInformation[.firmwareRevisionString] == "9.1")
    #expect(try await registry.monitor(strap)?.sensorLocation == .wrist)
    #expect(try await registry.monitor(strap)?.deviceInformation[.serialNumberString] == "S1")
  }

  @Test func `a monitor enrolled during the run is treated like one enrolled before it`()
    async throws
  {
    let store = try HKHealthStore.inMemory()
    let registry = try MonitorRegistry(store)
    let (dealtWith, end) = AsyncStream.makeStream(of: Void.self)
    let isFirst = Mutex(true)
    // The pipeline requests the first list of monitors when the run has started, and the second one when it
    // has processed the first.
    let enrolments = AsyncStream<[EnrolledMonitor]> {
      guard
        isFirst.withLock({ isFirst in
          defer { isFirst = false }; return isFirst
        })
      else {
        end.finish()
        return nil
      }
      _ = try? await enrolled(store)
      return try? await registry.monitors()
    }
    let central = HandFedCentral()
    let reports = Reports()
    var policy = LivePolicy()
    policy.commitInterval = .milliseconds(20)
    let pipeline = LivePipeline(registry, policy: policy)
    async let outcome = pipeline.run(central, known: [:], enrolments: enrolments) { reports.append($0) }
    defer { central.end() }
    for await _ in dealtWith {}
    central.give(.gapBegan(peripheral, .adapterOff, time(1)), .connected(peripheral, time(5)), frame(6))
    _ = try await reports.first { $0.tally.storedMeasurements == 1 }
    #expect(try await heartRates(in: store).map(\.sourceRevision.source.name) == ["Strap"])
    #expect(
      try await registry.gaps() == [
        MonitorGap(monitor: strap, start: time(1), end: time(6), cause: .adapterOff)
      ])
    central.end()
    #expect(await outcome.failure == nil)
  }

  @Test func `battery, link and last measurement are stored with the commits`() async throws {
    let store = try HKHealthStore.inMemory()
    let registry = try await enrolled(store)
    _ = try await LiveRun(store) { _ in }() { central, reports in
      central.give(.connected(peripheral, time(5)), .valueRead(peripheral, .batteryLevel, [88]))
      // A changed status is committed even without a measurement.
      _ = try await reports.first { _ in true }
      var monitor = try #require(try await registry.monitor(strap))
      #expect(monitor.battery == 88 && monitor.lastSeen == time(5) && monitor.lastMeasurement == nil)
      central.give(
        frame(6),
        .notified(
          ValueNotification(
            peripheral: peripheral, characteristic: .batteryLevel, value: [87], receiptTime: time(7))),
        .valueRead(peripheral, .batteryLevel, [200]))
      _ = try await reports.first { $0.tally.storedMeasurements == 1 }
      monitor = try #require(try await registry.monitor(strap))
      #expect(monitor.battery == 87 && monitor.lastSeen == time(7) && monitor.lastMeasurement == time(6))
      let tally = try #require(reports.all.last?.tally.monitors.first)
      #expect(tally.measurements == 1 && tally.lastReceipt == time(6) && tally.openGap == nil)
      central.give(.gapBegan(peripheral, .silence, time(20)))
      _ = try await reports.first { $0.tally.monitors.first?.openGap == .silence }
      #expect(try await registry.gaps() == [MonitorGap(monitor: strap, start: time(6), cause: .silence)])
    }
  }

  @Test func `silence does not break the beats; the end of the link does`() async throws {
    let store = try HKHealthStore.inMemory()
    _ = try await enrolled(store)
    _ = try await LiveRun(store) { _ in }() { central, _ in
      central.give(.connected(peripheral, time(0)), frame(1), frame(2))
      central.give(.gapBegan(peripheral, .silence, time(2.1)), frame(3), frame(4))
    }
    let series = try await HKSampleQueryDescriptor(predicates: [.heartbeatSeries()], sortDescriptors: [])
      .result(for: store)
    #expect(series.map(\.count) == [5])
  }

  @Test func `a clean stop leaves a gap that the next run ends, and so does a killed run`() async throws {
    let store = try HKHealthStore.inMemory()
    let registry = try await enrolled(store)
    _ = try await LiveRun(store) { _ in }() { central, _ in
      central.give(.connected(peripheral, time(0)), frame(1), frame(2))
    }
    #expect(try await registry.gaps() == [MonitorGap(monitor: strap, start: time(2), cause: .gatewayStopped)])
    _ = try await LiveRun(store) { _ in }() { central, reports in
      central.give(.connected(peripheral, time(50)), frame(51))
      _ = try await reports.first { $0.tally.storedMeasurements == 1 }
      #expect(
        try await registry.gaps() == [
          MonitorGap(monitor: strap, start: time(2), end: time(51), cause: .gatewayStopped)
        ])
      // The store is now as a killed run leaves it. Start a second run on it.
      let other = try await LiveRun(store) { _ in }() { central, _ in central.give(frame(60)) }
      #expect(other.failure == nil)
      #expect(
        try await registry.gaps() == [
          MonitorGap(monitor: strap, start: time(2), end: time(51), cause: .gatewayStopped),
          MonitorGap(monitor: strap, start: time(51), end: time(60), cause: .gatewayStopped),
          MonitorGap(monitor: strap, start: time(60), cause: .gatewayStopped),
        ])
    }
  }

  @Test func `a central that fails ends the run, and everything received is committed`() async throws {
    struct LostError: Error {}
    let store = try HKHealthStore.inMemory()
    let run = try LiveRun(store)
    let outcome = try await run { central, _ in
      central.give(.connected(peripheral, time(0)), frame(1))
      central.end(LostError())
    }
    #expect(outcome.failure is LostError)
    #expect(outcome.tally.storedMeasurements == 1 && outcome.tally.isBalanced)
  }

  @Test func `a source that floods is slowed down, and nothing is lost`() async throws {
    let store = try HKHealthStore.inMemory()
    _ = try await enrolled(store)
    let run = try LiveRun(store) {
      $0.commitInterval = .seconds(3600)
      $0.heldBack = 500
    }
    let outcome = try await run { central, _ in
      central.give(.connected(peripheral, time(0)))
      for batch in 0..<5 { central.give((0..<1000).map { frame(Double(batch * 1000 + $0) + 1) }) }
    }
    #expect(outcome.failure == nil)
    #expect(outcome.tally.storedMeasurements == 5000 && outcome.tally.isBalanced)
  }

  @Test func `samples that a locked store rejects are held and stored once it is unlocked`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let registry = try await enrolled(store)
    let lock = try StoreLock(path)
    let run = try LiveRun(store)
    let outcome = try await run { central, reports in
      central.give(.connected(peripheral, time(0)), frame(1))
      let report = try await reports.first { $0.failure != nil }
      #expect(report.heldBack == 1 && report.tally.storedMeasurements == 0)
      central.give(frame(2), frame(3))
      try lock.release()
      let after = try await reports.first { $0.tally.storedMeasurements == 3 }
      #expect(after.tally.measurements == 3)
      _ = try await reports.first {
        $0.tally.storedMeasurements == 3 && $0.failure == nil && $0.heldBack == 0
      }
    }
    #expect(outcome.failure == nil && outcome.tally.isBalanced && outcome.tally.rejected.isEmpty)
    #expect(try await heartRates(in: store).count == 3)
    #expect(try await registry.gaps().map(\.cause) == [.gatewayStopped])
  }

  @Test func `measurements beyond the limit are dropped, counted, and inside a gap`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let registry = try await enrolled(store)
    let lock = try StoreLock(path)
    let run = try LiveRun(store) { $0.heldBack = 10 }
    let outcome = try await run { central, reports in
      central.give(.connected(peripheral, time(0)), frame(1))
      _ = try await reports.first { $0.failure != nil }
      central.give((2...30).map { frame(Double($0)) })
      _ = try await reports.first { $0.tally.rejected[.storeFailed] == 20 }
      try lock.release()
      _ = try await reports.first { $0.heldBack == 0 && $0.failure == nil }
      central.give(frame(40))
    }
    #expect(outcome.failure == nil && outcome.tally.isBalanced)
    #expect(outcome.tally.rejected == [.storeFailed: 20])
    #expect(try await heartRates(in: store).count == 11)
    #expect(
      try await registry.gaps().first
        == MonitorGap(monitor: strap, start: time(10), end: time(40), cause: .storeUnavailable, lost: 20))
    // No interval is joined across the dropped measurements.
    let series = try await HKSampleQueryDescriptor(predicates: [.heartbeatSeries()], sortDescriptors: [])
      .result(for: store)
    #expect(series.map(\.count).sorted() == [2, 11])
  }

  @Test func `a full disk loses nothing once there is room again`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let store = try HKHealthStore(storeAt: folder.path("s.sqlite"))
      // Limit the size of files. With SIGXFSZ ignored, writing beyond the limit fails like on a full disk.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let room = limit.rlim_cur
      let log =
        try FileManager.default.attributesOfItem(atPath: folder.path("s.sqlite-wal"))[.size] as? NSNumber
      limit.rlim_cur = rlim_t((log?.intValue ?? 0) + 100_000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let run = try LiveRun(store)
      let outcome = try await run { central, reports in
        central.give(.connected(peripheral, time(0)))
        var fed = 0
        while !reports.all.contains(where: { $0.failure != nil }) {
          central.give((0..<50).map { frame(Double(fed + $0 + 1)) })
          fed += 50
          try await Task.sleep(for: .milliseconds(5))
        }
        limit.rlim_cur = room
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        _ = try await reports.first { $0.failure == nil && $0.tally.storedMeasurements == fed }
      }
      let stored = try await heartRates(in: store).count
      let reasons = run.reports.all.compactMap { $0.failure?.localizedDescription }
      let isRight =
        outcome.failure == nil && outcome.tally.isBalanced && outcome.tally.rejected.isEmpty
        && stored == outcome.tally.measurements && reasons.contains { $0.contains("SQLITE_") }
      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a store file that was moved away loses nothing once it is back, and says so meanwhile`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (path, away) = (folder.path("s.sqlite"), folder.path("away.sqlite"))
    let store = try HKHealthStore(storeAt: path)
    _ = try await enrolled(store)
    let run = try LiveRun(store)
    let outcome = try await run { central, reports in
      central.give(.connected(peripheral, time(0)), frame(1))
      _ = try await reports.first { $0.tally.storedMeasurements == 1 }
      try FileManager.default.moveItem(atPath: path, toPath: away)
      central.give(frame(2), frame(3))
      let report = try await reports.first { $0.failure != nil }
      #expect(report.failure?.localizedDescription.contains("was deleted or replaced") == true)
      #expect(report.heldBack >= 1)
      try FileManager.default.moveItem(atPath: away, toPath: path)
      _ = try await reports.first { $0.failure == nil && $0.tally.storedMeasurements == 3 }
    }
    #expect(outcome.failure == nil && outcome.tally.isBalanced && outcome.tally.rejected.isEmpty)
    #expect(try await heartRates(in: store).count == 3)
  }

  @Test func `a store still locked at the end loses the pending measurements, counts and reports them`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let registry = try await enrolled(store)
    let run = try LiveRun(store) { $0.finalTimeout = .milliseconds(1) }
    let lock = try StoreLock(path)
    let outcome = try await run { central, _ in
      central.give(.connected(peripheral, time(0)), frame(1), frame(2))
    }
    #expect((outcome.failure as? HKError)?.code == .errorDatabaseInaccessible)
    #expect(outcome.tally.rejected == [.storeFailed: 2] && outcome.tally.isBalanced)
    try lock.release()
    #expect(try await registry.monitor(strap)?.lastMeasurement == nil)
  }
}
