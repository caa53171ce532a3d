import Bluetooth
import Glibc
import HealthKit
import HealthStorage
import Ingestion
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let begin = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

/// A gate that is closed until it is opened once.
private final class Gate: Sendable {
  private let opened: AsyncStream<Void>
  private let opening: AsyncStream<Void>.Continuation
  /// The number of callers that have reached the gate.
  let comers = Mutex(0)

  init() { (opened, opening) = AsyncStream.makeStream() }

  func open() { opening.finish() }

  func pass() async {
    comers.withLock { $0 += 1 }
    for await _ in opened {}
  }
}

/// A central whose `respondToProbe` returns only after the gate is opened.
private struct GatedCentral: FollowingCentral {
  let gate: Gate
  private let stream: AsyncThrowingStream<[CentralEvent], any Error>
  private let continuation: AsyncThrowingStream<[CentralEvent], any Error>.Continuation

  init(_ gate: Gate) {
    self.gate = gate
    (stream, continuation) = AsyncThrowingStream.makeStream()
  }

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
  func follow(_ monitors: [EnrolledMonitor]) async {}
  func run() async {}
  func stop() async { continuation.finish() }
  func respondToProbe() async { await gate.pass() }
}

/// Tests the health checks for the watchdog: in `respondToProbe`, each part of the gateway shows that it
/// still works.
@Suite(.timeLimit(.minutes(30))) struct GatewayTurnTests {
  @Test func `only a running gateway takes a turn, and not before its central has taken it`() async throws {
    let gate = Gate()
    let gateway = HeartRateGateway(try MonitorRegistry(at: .memory)) { _ in GatedCentral(gate) }
    #expect(await !gateway.turn())
    let events = gateway.events()
    let run = Task { try await gateway.run() }
    for await case .enrolled in events { break }
    let isTaken = Mutex(false)
    let turn = Task {
      let taken = await gateway.turn()
      isTaken.withLock { $0 = true }
      return taken
    }
    #expect(await eventually { gate.comers.withLock { $0 } == 1 })
    #expect(!isTaken.withLock { $0 })
    gate.open()
    #expect(await turn.value)
    run.cancel()
    try await run.value
    #expect(await !gateway.turn())
  }

  @Test func `a commit that hangs blocks the turn, and one that fails does not`() async throws {
    let gate = Gate()
    let (work, signal) = AsyncStream.makeStream(of: Void.self)
    let ingestion = LiveIngestion(policy: LivePolicy(), known: [:], signal, { _ in }) { _ in
      await gate.pass()
      throw HKError(.errorDatabaseInaccessible)
    }
    await ingestion.respondToProbe()
    let peripheral = PeripheralIdentity.address(strap)
    let frame = CentralEvent.notified(
      ValueNotification(
        peripheral: peripheral, characteristic: .heartRateMeasurement,
        value: HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded, receiptTime: begin))
    // Ending the ingestion releases frames that are held until later events arrive.
    await ingestion.receive([.connected(peripheral, begin), frame])
    await ingestion.end(at: begin)
    let commit = Task { await ingestion.commit() }
    #expect(await eventually { gate.comers.withLock { $0 } == 1 })
    let isTaken = Mutex(false)
    let turn = Task {
      await ingestion.respondToProbe()
      isTaken.withLock { $0 = true }
    }
    // `respondToProbe` has been called on the actor, and waits there for the commit.
    #expect(await eventually { await ingestion.isAwaited })
    #expect(!isTaken.withLock { $0 })
    gate.open()
    await turn.value
    #expect(await commit.value != nil)
    withExtendedLifetime(work) {}
  }

  @Test func `a gateway that waits for another one continues after that one has ended`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    func gateway(_ policy: LivePolicy) throws -> HeartRateGateway {
      let gate = Gate()
      gate.open()
      return HeartRateGateway(try MonitorRegistry(at: .file(path)), policy: policy) { _ in GatedCentral(gate)
      }
    }
    let first = try gateway(LivePolicy())
    let running = Task { [events = first.events()] in
      async let run: Void = first.run()
      for await case .enrolled in events { break }
      try await run
    }
    let registry = try MonitorRegistry(at: .file(path))
    #expect(await eventually { registry.hasGateway })
    var policy = LivePolicy()
    policy.waitsForAnother = true
    policy.lookForAnother = .milliseconds(5)
    let second = try gateway(policy)
    var events = second.events().makeAsyncIterator()
    let waiting = Task { try await second.run() }
    guard case .waiting(let process) = await events.next() else {
      Issue.record("it does not report that it waits")
      return
    }
    #expect(process == getpid())
    // A gateway that waits for another one also completes its turns, because it polls.
    #expect(await second.turn())
    running.cancel()
    try await running.value
    guard case .enrolled = await events.next() else {
      Issue.record("it reports more than once that it waits")
      return
    }
    waiting.cancel()
    try await waiting.value
  }

  @Test func `a gateway that is canceled while it waits for another one ends with an empty tally`()
    async throws
  {
    let registry = try MonitorRegistry(at: .memory)
    try await registry.becomeGateway()
    var policy = LivePolicy()
    policy.waitsForAnother = true
    let gateway = HeartRateGateway(registry, policy: policy) { _ in GatedCentral(Gate()) }
    let events = gateway.events()
    let run = Task { try await gateway.run() }
    for await case .waiting in events { break }
    run.cancel()
    try await run.value
    #expect(registry.hasGateway, "the other gateway keeps the store")
  }
}
