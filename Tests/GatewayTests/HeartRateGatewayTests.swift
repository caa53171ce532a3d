import BlueZ
import Bluetooth
import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import StrapSimulator
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let other = BluetoothAddress(bits: 0xC0FF_EE00_0002, kind: .random)
private let peripheral = PeripheralIdentity.address(strap)
private let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

private func frame(_ second: Int64, of peripheral: PeripheralIdentity = peripheral) -> CentralEvent {
  .notified(
    ValueNotification(
      peripheral: peripheral, characteristic: .heartRateMeasurement,
      value: HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded,
      receiptTime: time(second)))
}

private func time(_ second: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: begin.microsecondsSince1970 + second * 1_000_000)
}

/// A central that records what it must follow, and emits the given events until it is stopped.
private final class TestCentral: FollowingCentral {
  let terms: FollowingTerms
  /// The lists of monitors that the gateway asked this central to follow.
  let followed: AsyncStream<[BluetoothAddress]>
  private let followedContinuation: AsyncStream<[BluetoothAddress]>.Continuation
  private let stream: AsyncThrowingStream<[CentralEvent], any Error>
  private let continuation: AsyncThrowingStream<[CentralEvent], any Error>.Continuation
  /// Whether `stop` was called by a task that was not canceled, which could still send requests to a daemon.
  let isLeftInOrder = Mutex(false)
  /// Events that the central emits during `stop`.
  private let last: [CentralEvent]

  init(_ terms: FollowingTerms, last: [CentralEvent] = []) {
    self.terms = terms
    self.last = last
    (followed, followedContinuation) = AsyncStream.makeStream()
    (stream, continuation) = AsyncThrowingStream.makeStream()
  }

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
  func give(_ events: CentralEvent...) { continuation.yield(events) }
  func end(_ error: (any Error)? = nil) { continuation.finish(throwing: error) }
  func follow(_ monitors: [EnrolledMonitor]) async {
    // The second monitor connects as soon as the gateway follows it.
    let peripheral = PeripheralIdentity.address(other)
    if monitors.contains(where: { $0.address == other }) {
      give(
        .gapBegan(peripheral, .adapterOff, time(1)), .connected(peripheral, time(5)), frame(6, of: peripheral)
      )
    }
    followedContinuation.yield(monitors.map(\.address))
  }
  func run() async {}
  func stop() async {
    isLeftInOrder.withLock { $0 = !Task.isCancelled }
    if !last.isEmpty { continuation.yield(last) }
    continuation.finish()
  }
}

/// A run of a gateway in a task of its own.
private struct TestRun {
  let gateway: HeartRateGateway
  let central: TestCentral
  let task: Task<Void, any Error>

  init(_ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), last: [CentralEvent] = []) async throws
  {
    let (centrals, made) = AsyncStream.makeStream(of: TestCentral.self)
    let gateway = HeartRateGateway(registry, policy: policy) { terms in
      let central = TestCentral(terms, last: last)
      made.yield(central)
      return central
    }
    self.gateway = gateway
    // An unstructured task, because the test cancels it, and a child of the test's own task could not be
    // canceled separately.
    task = Task { try await gateway.run() }
    central = try #require(await centrals.first { _ in true })
  }
}

@Suite(.timeLimit(.minutes(30))) struct HeartRateGatewayTests {
  private func registry(at location: HKHealthStore.Configuration.Location = .memory) async throws
    -> MonitorRegistry
  {
    let registry = try MonitorRegistry(at: location)
    try await registry.enrol(EnrolledMonitor(address: strap, name: "Strap", isBonded: true, enrolled: begin))
    return registry
  }

  @Test func `a canceled run stops its central and commits all events, including the last ones`()
    async throws
  {
    let registry = try await registry()
    let run = try await TestRun(registry, last: [frame(3)])
    let events = run.gateway.events()
    run.central.give(.connected(peripheral, begin), frame(1), frame(2))
    run.task.cancel()
    try await run.task.value
    var account: IngestionTally?
    for await case .ended(let tally) in events { account = tally }
    #expect(account?.isBalanced == true && account?.storedMeasurements == 3)
    let monitor = try #require(try await registry.monitor(strap))
    #expect(monitor.lastMeasurement?.microsecondsSince1970 == begin.microsecondsSince1970 + 3_000_000)
    #expect(try await registry.gaps().map(\.cause) == [.gatewayStopped])
  }

  @Test func `states are reported, stored during the run, and set to stopped at the end`() async throws {
    let registry = try await registry()
    let run = try await TestRun(registry)
    var events = run.gateway.events().makeAsyncIterator()
    run.central.terms.report(FollowStatus(monitor: strap, state: .following))
    while let event = await events.next() {
      if case .state(let status) = event, status.state == .following { break }
    }
    #expect(try await eventually { try await registry.monitor(strap)?.state == MonitorState(.following) })
    #expect(registry.hasGateway)
    run.task.cancel()
    try await run.task.value
    #expect(try await registry.monitor(strap)?.state == .stopped)
  }

  @Test func `a monitor that is heard is reported`() async throws {
    let run = try await TestRun(try await registry())
    var events = run.gateway.events().makeAsyncIterator()
    let signal = HeardSignal(monitor: strap, rssi: -61, time: begin)
    run.central.terms.hear(signal)
    while let event = await events.next() {
      guard case .heard(let heard) = event else { continue }
      #expect(heard == signal)
      break
    }
    run.task.cancel()
    try await run.task.value
  }

  @Test func `a monitor enrolled during the run is followed, and receipt time starts after the last run`()
    async throws
  {
    let registry = try await registry()
    // The time of the last measurement is only 3 s in the future, so the receipt clock continues from it.
    var last = SystemClocks.now().wall
    last.microsecondsSince1970 += 3_000_000
    try await registry.store.database.save(.init(statuses: [.measured(strap, last)]))
    let run = try await TestRun(registry)
    var clock = run.central.terms.clock
    #expect(clock.receiptTime(boottimeNanoseconds: SystemClocks.now().boottimeNanoseconds) >= last)
    #expect(run.central.terms.gathering == .milliseconds(1050))
    var followed = run.central.followed.makeAsyncIterator()
    #expect(await followed.next() == [strap])
    try await registry.enrol(EnrolledMonitor(address: other, isBonded: false, enrolled: begin))
    #expect(await followed.next()?.contains(other) == true)
    run.task.cancel()
    try await run.task.value
    // The monitor was already enrolled when its first frame arrived, so the missed time before it is a gap.
    let missed = MonitorGap(monitor: other, start: time(1), end: time(6), cause: .adapterOff)
    #expect(try await registry.gaps(of: other).first == missed)
  }

  /// Live values are delayed by at most a second. A commit stores what the central emits by the end of the
  /// commit interval.
  @Test(arguments: [(5000, 1050, 4050), (2000, 1050, 1050), (1050, 1050, 0), (200, 200, 0)])
  func `events are handed over within a second, however long the commit interval is`(
    interval: Int, gathering: Int, rest: Int
  ) {
    var policy = LivePolicy()
    #expect(policy.commitInterval == .seconds(5))
    policy.commitInterval = .milliseconds(interval)
    #expect(policy.gathering == .milliseconds(gathering))
    #expect(policy.intervalAfterGathering == .milliseconds(rest))
  }

  @Test func `measurements that a store never accepts are an error, after the tally that counts them`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let registry = try await registry(at: .file(path))
    var policy = LivePolicy()
    policy.finalTimeout = .milliseconds(1)
    let run = try await TestRun(registry, policy: policy)
    let events = run.gateway.events()
    let lock = try StoreLock(path)
    run.central.give(.connected(peripheral, begin), frame(1), frame(2))
    run.task.cancel()
    let lost = await #expect(throws: LostMeasurementsError.self) { try await run.task.value }
    #expect(lost?.description.hasPrefix("the last 2 measurements could not be stored: ") == true)
    #expect((lost?.cause as? HKError)?.code == .errorDatabaseInaccessible)
    var account: IngestionTally?
    for await case .ended(let tally) in events { account = tally }
    #expect(account?.rejected == [.storeFailed: 2] && account?.isBalanced == true)
    try lock.release()
  }

  @Test func `a canceled run does not wait for a lock of another program`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let registry = try await registry(at: .file(path))
    var policy = LivePolicy()
    policy.commitInterval = .milliseconds(1)
    let run = try await TestRun(registry, policy: policy)
    // With this timeout, waiting for the locked store would take longer than any test.
    registry.store.database.timeout.usual = .seconds(86_400)
    let lock = try StoreLock(path)
    run.central.give(.connected(peripheral, begin), frame(1), frame(2))
    run.task.cancel()
    let lost = await #expect(throws: LostMeasurementsError.self) { try await run.task.value }
    #expect(lost?.count == 2)
    #expect(!registry.store.database.timeout.isBrief)
    try lock.release()
  }

  @Test func `a subscriber that never reads blocks nothing, and still gets the final tally`() async throws {
    let registry = try await registry()
    let run = try await TestRun(registry)
    let events = run.gateway.events()
    for number in 0..<5000 {
      run.central.terms.report(FollowStatus(monitor: strap, state: number % 2 == 0 ? .away : .following))
    }
    run.central.give(.connected(peripheral, begin), frame(1))
    run.task.cancel()
    try await run.task.value
    var (seen, missed) = (0, 0)
    var account: IngestionTally?
    for await event in events {
      seen += 1
      if case .missed(let count) = event { missed += count }
      if case .ended(let tally) = event { account = tally }
    }
    // The events that were still in the queue, and a notice of the dropped ones before them.
    #expect(seen == 1025)
    #expect(missed + seen - 1 >= 5000)
    #expect(account?.storedMeasurements == 1)
  }

  @Test func `a central that cannot follow monitors is read to its end, or until the task is canceled`()
    async throws
  {
    let registry = try MonitorRegistry(at: .memory)
    let straps = [StrapProfile.sample(index: 0)]
    let short = SimulatedCentral(straps: straps, duration: .seconds(60), seed: 1, start: begin)
    let gateway = HeartRateGateway(registry, central: short)
    let events = gateway.events()
    try await gateway.run()
    var account: IngestionTally?
    for await case .ended(let tally) in events { account = tally }
    #expect(account?.isBalanced == true && account?.storedMeasurements ?? 0 > 30)

    // Use a central whose event stream does not end.
    let (stream, _) = AsyncThrowingStream.makeStream(of: [CentralEvent].self)
    let silent = HeartRateGateway(registry, central: SilentCentral(stream: stream))
    let begun = silent.events()
    let task = Task { try await silent.run() }
    for await _ in begun { break }
    task.cancel()
    try await task.value
  }

  @Test func `a second gateway on a store reports the process of the first`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let first = try await TestRun(try await registry(at: .file(path)))
    let second = HeartRateGateway(try MonitorRegistry(at: .file(path))) { TestCentral($0) }
    let refusal = await #expect(throws: HKError.self) { try await second.run() }
    #expect(refusal?.localizedDescription.contains("process \(getpid())") == true)
    first.task.cancel()
    try await first.task.value
  }

  @Test func `a second gateway on a registry fails until the first has ended`() async throws {
    let registry = try await registry()
    let first = try await TestRun(registry)
    let second = HeartRateGateway(
      registry, central: SimulatedCentral(straps: [], duration: .seconds(1), seed: 1, start: begin))
    let refusal = await #expect(throws: HKError.self) { try await second.run() }
    #expect(refusal?.localizedDescription.contains("process \(getpid())") == true)
    first.task.cancel()
    try await first.task.value
    #expect(!registry.hasGateway)
    try await second.run()
  }

  @Test func `a central that fails is stopped properly; if nothing is lost, its error is the run's`()
    async throws
  {
    struct BrokenError: Error {}
    let registry = try await registry()
    let run = try await TestRun(registry)
    run.central.give(.connected(peripheral, begin), frame(1))
    run.central.end(BrokenError())
    await #expect(throws: BrokenError.self) { try await run.task.value }
    #expect(run.central.isLeftInOrder.withLock { $0 })
    #expect(try await registry.monitor(strap)?.lastMeasurement != nil)
  }

  @Test func `a run canceled before it began ends without an error, with an empty tally`() async throws {
    let gateway = HeartRateGateway(try await registry()) { TestCentral($0) }
    let events = gateway.events()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in gate {}
      try await gateway.run()
    }
    task.cancel()
    open.finish()
    try await task.value
    var accounts: [Int] = []
    for await case .ended(let tally) in events { accounts.append(tally.measurements) }
    #expect(accounts == [0])
  }
}

/// A central that emits nothing, and whose event stream does not end.
private struct SilentCentral: Central {
  let stream: AsyncThrowingStream<[CentralEvent], any Error>

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
}

extension MonitorStatusRecord {
  fileprivate static func measured(_ monitor: BluetoothAddress, _ time: ReceiptTime) -> MonitorStatusRecord {
    var status = MonitorStatusRecord(address: AddressRecord(monitor))
    status.lastMeasurement = time.microsecondsSince1970
    return status
  }
}
