public import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization

/// Follows the enrolled monitors and stores their measurements.
///
/// At most one gateway runs on a store at a time. Monitors that are enrolled or forgotten during the run,
/// by any program, are followed or dropped. Other information about a monitor is stored in the
/// ``MonitorRegistry``.
///
/// ``run()`` has the shape of swift-service-lifecycle's `Service`.
///
/// ```swift
/// let gateway = HeartRateGateway(registry)
/// let events = gateway.events()
/// let running = Task { try await gateway.run() }
/// for await case .measured(let measurements) in events {
///   for measurement in measurements { print(measurement.monitor, measurement.heartRate) }
/// }
/// try await running.value
/// ```
public final class HeartRateGateway: Sendable {
  /// The store whose enrolled monitors are followed.
  public let registry: MonitorRegistry
  /// The person whose store it is; `nil` for the owner.
  public let person: String?

  /// Size of the writer's page cache. Small, because a gateway runs for long and writes little at a time.
  private static let pageCacheKilobytes = 512

  private let policy: LivePolicy
  private let source: @Sendable (FollowingTerms) async throws -> EventSource
  private let broadcast: EventBroadcast
  private let isRunning = Mutex(false)
  private let probes = LivenessProbe()

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

  /// Creates a gateway that uses the Bluetooth of this machine.
  ///
  /// ``run()`` throws `BlueZUnavailableError` if something is missing at the start and
  /// ``BluetoothOptions/waits`` is not set. Once it runs, it waits for anything that disappears.
  public convenience init(
    _ registry: MonitorRegistry, bluetooth: BluetoothOptions = BluetoothOptions(),
    policy: LivePolicy = LivePolicy()
  ) {
    self.init(registry, policy) { .following(try await bluetooth.central(on: $0)) }
  }

  /// Creates a gateway for a central with a fixed set of monitors, such as a simulation. The run ends with
  /// the central.
  public convenience init(
    _ registry: MonitorRegistry, central: some Central, policy: LivePolicy = LivePolicy()
  ) {
    self.init(registry, policy) { _ in .selfContained(central) }
  }

  /// Creates a gateway for a central that accepts a list of monitors.
  ///
  /// - Parameters:
  ///   - person: The person whose store it is; `nil` for the owner.
  ///   - makeCentral: Called once for each run.
  public convenience init<Following: FollowingCentral>(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), person: String? = nil,
    makeCentral: @escaping @Sendable (FollowingTerms) async throws -> Following
  ) {
    self.init(registry, policy, person: person) { .following(try await makeCentral($0)) }
  }

  /// The events of the gateway from now on, until the run ends. For one consumer; each call makes a new
  /// stream. If ``run()`` throws at the start, the stream ends without an account. A stream that is made
  /// after a run belongs to the next one.
  ///
  /// The gateway never waits for a watcher. A watcher that falls 1,024 events behind misses the oldest ones
  /// and gets their number as ``GatewayEvent/missed(_:)``. ``GatewayEvent/ended(_:)`` is the last event and
  /// always arrives.
  public func events() -> AsyncStream<GatewayEvent> { broadcast.events(\.event) }

  /// The events of ``events()``, each with its time.
  public func timedEvents() -> AsyncStream<TimedGatewayEvent> { broadcast.events { $0 } }

  /// The events of ``timedEvents()``, each with the state of the gateway after it.
  public func updates() -> AsyncStream<GatewayUpdate> { broadcast.updates() }

  /// The state of the gateway after each event, until the run ends. A slow reader gets the newest state and
  /// skips the ones before it; the last one is the state at the end of the run. A stream that is made during
  /// a run begins with the state at that time.
  public func states() -> AsyncStream<GatewayState> { broadcast.states() }

  /// Runs one liveness check, for a watchdog: waits until the thread that reads the bus has run once, a
  /// running commit has ended, and the store was read.
  ///
  /// A store that returns errors and a bus that is missing count as alive: the gateway handles both. If a
  /// part hangs, this does not return.
  /// - Returns: Whether a run took part in the check.
  public func turn() async -> Bool { await probes.take() }

  /// The progress of the liveness check that is running; `nil` if there is none.
  var turnPlace: LivenessProbe.Place? { probes.place }

  /// Whether monitors are enrolled in the store, as far as the run knows.
  var hasMonitors: Bool { probes.hasMonitors.withLock(\.self) }

  /// Runs until the task is canceled or the central ends. Before it returns, it commits everything that was
  /// gathered, leaves an open gap for each monitor that was connected or measured during the run, from its
  /// last measurement on, and sends ``GatewayEvent/ended(_:)``.
  ///
  /// - Precondition: The gateway is not running.
  /// - Throws: ``LostMeasurements`` if the last measurements could not be stored; if all were stored, the
  ///   error that ended the central. At the start, `HKError` if another gateway runs on the store, in this
  ///   program or another (unless ``LivePolicy/waitsForAnother``), or if the store cannot be read; and the
  ///   error of creating the central.
  public func run() async throws {
    let ranAlready = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return isRunning
    }
    precondition(!ranAlready, "a gateway runs once at a time")
    broadcast.begin()
    defer {
      broadcast.finish()
      probes.removeAll()
      isRunning.withLock { $0 = false }
    }
    do {
      try await becomeGateway()
    } catch is CancellationError {
      broadcast.send(.ended(IngestionTally()))
      return
    }
    probes.add(.store) { [registry] in _ = try? await registry.store.database.monitorRevisions() }
    defer { registry.resignAsGateway() }
    let timeout = registry.store.database.timeout
    defer { timeout.isBrief = false }
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
    // Not a child task: it must outlive the cancellation of this task, because a canceled task commits
    // nothing.
    let running = Task { try await run.perform(until: stop) }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      // At the end, do not wait long for a store that another program has locked.
      timeout.isBrief = true
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
      probes: probes)
  }

  private func derivation() throws -> DerivationRun? {
    guard policy.derivesFigures else { return nil }
    return DerivationRun(try Derivation(registry.store.healthStore), pause: policy.derivationPause) {
      [broadcast] in broadcast.send(.derived(DerivationReport($0)))
    }
  }

  /// Creates the task that compacts old samples during a run; `nil` if the policy disables it.
  func condensing() -> CondensingRun? {
    guard policy.condenses else { return nil }
    return CondensingRun(
      registry.store.database, pause: policy.condensingPause,
      now: { SystemClocks.now().wall.microsecondsSince1970 }
    ) { [broadcast] in broadcast.send(.condensed(CondensingReport($0))) }
  }

  /// - Throws: `CancellationError` if the task is canceled while it waits for another gateway.
  private func becomeGateway() async throws {
    guard policy.waitsForAnother else { return try await registry.becomeGateway() }
    probes.add(.store) { [registry] in _ = registry.hasGateway }
    defer { probes.removeAll() }
    try await registry.becomeGateway(lookingEvery: policy.lookForAnother) { [broadcast] process in
      broadcast.send(.waiting(process: process))
    }
  }
}
