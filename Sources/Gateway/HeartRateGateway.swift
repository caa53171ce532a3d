public import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization

/// Follows the enrolled monitors and stores what they measure.
///
/// One gateway at a time runs on a store. Monitors that are enrolled or forgotten meanwhile, by any program,
/// are taken up or left alone. What it learns of a monitor beside its measurements stands in the
/// ``MonitorRegistry``.
///
/// ``run()`` has the shape of swift-service-lifecycle's `Service`.
public final class HeartRateGateway: Sendable {
  public let registry: MonitorRegistry
  /// Whose store it is; `nil` for the owner's.
  public let person: String?

  /// The writer's page cache: a gateway lives long and writes a little at a time.
  private static let pageCacheKilobytes = 512

  private let policy: LivePolicy
  private let source: @Sendable (FollowingTerms) async throws -> EventSource
  private let broadcast: EventBroadcast
  private let isRunning = Mutex(false)
  private let turns = GatewayTurns()

  private init(
    _ registry: MonitorRegistry, _ policy: LivePolicy, person: String? = nil,
    source: @escaping @Sendable (FollowingTerms) async throws -> EventSource
  ) {
    self.registry = registry
    self.person = person
    broadcast = EventBroadcast(person: person)
    self.policy = policy
    self.source = source
  }

  /// A gateway for the Bluetooth of this machine.
  ///
  /// ``run()`` throws `BlueZUnavailable` if something is missing at the start and ``BluetoothOptions/waits``
  /// is not set; once it runs, it waits for whatever goes away.
  public convenience init(
    _ registry: MonitorRegistry, bluetooth: BluetoothOptions = BluetoothOptions(),
    policy: LivePolicy = LivePolicy()
  ) {
    self.init(registry, policy) { .following(try await bluetooth.central(on: $0)) }
  }

  /// A gateway for a central that is told nothing: a simulation, for instance. When it ends, so does the run.
  public convenience init(
    _ registry: MonitorRegistry, central: some Central, policy: LivePolicy = LivePolicy()
  ) {
    self.init(registry, policy) { _ in .selfContained(central) }
  }

  /// A gateway for a central that is told whom to follow.
  ///
  /// - Parameters:
  ///   - person: Whose store it is, where it is not the owner's: what it tells is about them.
  ///   - makeCentral: Called once a run.
  public convenience init<Following: FollowingCentral>(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), person: String? = nil,
    makeCentral: @escaping @Sendable (FollowingTerms) async throws -> Following
  ) {
    self.init(registry, policy, person: person) { .following(try await makeCentral($0)) }
  }

  /// The events of the gateway from now on, until the run ends. For one consumer; each call makes a new stream.
  /// If ``run()`` throws at the start, the stream ends without an account. A stream made after a run belongs
  /// to the next one.
  ///
  /// The gateway never waits for a watcher. A watcher that falls 1,024 events behind misses the oldest ones
  /// and gets their number as ``GatewayEvent/missed(_:)``. ``GatewayEvent/ended(_:)`` is the last event and
  /// always arrives.
  public func events() -> AsyncStream<GatewayEvent> { broadcast.events(\.event) }

  /// As ``events()``, each with its time.
  public func timedEvents() -> AsyncStream<TimedGatewayEvent> { broadcast.events { $0 } }

  /// As ``timedEvents()``, each with the state of the gateway after it.
  public func updates() -> AsyncStream<GatewayUpdate> { broadcast.updates() }

  /// The state of the gateway after each event, until the run ends. A slow reader gets the newest state and
  /// skips the ones before it; the last one is the state at the end of the run. A stream that is made during
  /// a run begins with the state at that time.
  public func states() -> AsyncStream<GatewayState> { broadcast.states() }

  /// Has each part of the gateway do something now: the thread that reads the bus looks at what is due, a
  /// commit that is under way comes to its end, and the store is read. For a watchdog, which is to hear of
  /// work that was done and not of time that has passed.
  ///
  /// A store that refuses, and a bus that is away, have been dealt with: such a gateway works. Where a part
  /// hangs, this does not return.
  /// - Returns: Whether there is a run that took the turn.
  public func turn() async -> Bool { await turns.take() }

  /// Where the turn is that is under way; `nil` where none is.
  var turnPlace: GatewayTurns.Place? { turns.place }

  /// Whether anybody's monitors are enrolled in its store, as far as the run knows.
  var hasMonitors: Bool { turns.hasMonitors.withLock(\.self) }

  /// Runs until the task is cancelled or the central ends. Either way, before it returns, all that was
  /// gathered is committed, each monitor that was connected or measured during the run has an open gap from
  /// its last measurement on, and ``GatewayEvent/ended(_:)`` is sent.
  ///
  /// - Precondition: It is not running already.
  /// - Throws: ``LostMeasurements`` if what was measured last could not be stored; where all was stored, the
  ///   error that ended the central. At the start `HKError`: a gateway runs on the store, in this program or
  ///   another (unless ``LivePolicy/waitsForAnother``), or the store cannot be read; and what the making of
  ///   the central throws.
  public func run() async throws {
    let ranAlready = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return isRunning
    }
    precondition(!ranAlready, "a gateway runs once at a time")
    broadcast.begin()
    defer {
      broadcast.finish()
      turns.removeAll()
      isRunning.withLock { $0 = false }
    }
    do {
      try await becomeGateway()
    } catch is CancellationError {
      broadcast.send(.ended(IngestionTally()))
      return
    }
    turns.add(.store) { [registry] in _ = try? await registry.store.database.monitorRevisions() }
    defer { registry.resignAsGateway() }
    let patience = registry.store.database.patience
    defer { patience.isBrief = false }
    try HKError.translating {
      try registry.store.database.limitPageCache(toKilobytes: Self.pageCacheKilobytes)
    }
    let keeper = StatusKeeper(registry)
    await keeper.begin()
    let run: GatewayRun
    do {
      run = try await prepare(keeper)
    } catch  where Task.isCancelled {
      broadcast.send(.ended(IngestionTally()))
      return
    }
    let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
    // Not a child: it must outlive the cancellation of this task, which is the wish to end in good order,
    // because a task that is cancelled commits nothing.
    let running = Task { try await run.perform(until: stop) }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      // A store that another program has locked is not waited for now.
      patience.isBrief = true
      stopping.finish()
    }
  }

  private func prepare(_ keeper: StatusKeeper) async throws -> GatewayRun {
    let feed = try await EnrolmentFeed(changes: try await registry.changes()) { [registry] in
      try await registry.monitors()
    }
    let (clock, beginning) = try await registry.clock(
      at: SystemClocks.now(), boot: ClockSetting.thisBoot, for: feed.first)
    let known = try await registry.known(feed.first, killed: beginning.history.killedRun)
    let terms = FollowingTerms(
      clock: clock, gathering: policy.gathering,
      report: { [broadcast] status in
        keeper.note(status)
        broadcast.send(.state(status))
      }, hear: { [broadcast] in broadcast.send(.heard($0)) })
    return GatewayRun(
      registry: registry, policy: policy, source: try await source(terms), feed: feed, known: known,
      beginning: beginning, keeper: keeper, broadcast: broadcast, derivation: try derivation(),
      condensing: condensing(),
      turns: turns)
  }

  private func derivation() throws -> DerivationRun? {
    guard policy.derivesFigures else { return nil }
    return DerivationRun(try Derivation(registry.store.healthStore), pause: policy.derivationPause) {
      [broadcast] in broadcast.send(.derived(DerivationReport($0)))
    }
  }

  /// Packs what is old beside a run; nil where nobody is to.
  func condensing() -> CondensingRun? {
    guard policy.condenses else { return nil }
    return CondensingRun(
      registry.store.database, pause: policy.condensingPause,
      now: { SystemClocks.now().wall.microsecondsSince1970 }
    ) { [broadcast] in broadcast.send(.condensed(CondensingReport($0))) }
  }

  /// - Throws: `CancellationError` if it is told to end while it waits for another gateway.
  private func becomeGateway() async throws {
    guard policy.waitsForAnother else { return try await registry.becomeGateway() }
    turns.add(.store) { [registry] in _ = registry.hasGateway }
    defer { turns.removeAll() }
    try await registry.becomeGateway(lookingEvery: policy.lookForAnother) { [broadcast] process in
      broadcast.send(.waiting(process: process))
    }
  }
}
