public import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization

/// Connects to the monitors of a store and stores their measurements.
///
/// At most one gateway runs on a store at a time. When any program adds or removes a monitor, the running
/// gateway adapts. The gateway also stores the monitors' battery level and connection state in the
/// ``MonitorRegistry``.
///
/// ``run()`` has the signature that swift-service-lifecycle's `Service` requires.
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
  /// The monitors of the store, which the gateway follows.
  public let registry: MonitorRegistry
  /// The person to whom the store belongs; `nil` for the user of this account.
  public let person: String?

  /// The size of SQLite's page cache. It is small because a gateway writes little at a time.
  private static let pageCacheKilobytes = 512

  private let policy: LivePolicy
  /// Whether a ``LockedGateway`` in the same process recorded measurements until now. If so, this run
  /// continues without a gap after the last measurement in the inbox.
  private let continuesRecording: Bool
  private let source: @Sendable (FollowingTerms) async throws -> CentralSource
  private let broadcast: EventBroadcast
  /// Whether the gateways of other people send to ``broadcast``, too. It then outlives this gateway's runs.
  private let isShared: Bool
  private let isRunning = Mutex(false)
  private let probes = LivenessProbe()

  private init(
    _ registry: MonitorRegistry, _ policy: LivePolicy, person: String? = nil,
    sharing broadcast: EventBroadcast? = nil, continuesRecording: Bool = false,
    source: @escaping @Sendable (FollowingTerms) async throws -> CentralSource
  ) {
    self.registry = registry
    self.person = person
    self.broadcast = broadcast ?? EventBroadcast(person: person)
    isShared = broadcast != nil
    self.policy = policy
    self.continuesRecording = continuesRecording
    self.source = source
  }

  /// Creates a gateway that uses the Bluetooth of this machine.
  ///
  /// ``run()`` throws `BlueZUnavailableError` if the bus, bluetoothd or the adapter is missing at the start
  /// and ``BluetoothOptions/waits`` is `false`. If one of them disappears later, the gateway waits until it
  /// is back.
  public convenience init(
    _ registry: MonitorRegistry, bluetooth: BluetoothOptions = BluetoothOptions(),
    policy: LivePolicy = LivePolicy()
  ) {
    self.init(registry, policy) { .following(try await bluetooth.central(on: $0)) }
  }

  /// Creates a gateway for a central with a fixed set of monitors, such as a simulation. The run ends when
  /// the central ends.
  public convenience init(
    _ registry: MonitorRegistry, central: some Central, policy: LivePolicy = LivePolicy()
  ) {
    self.init(registry, policy) { _ in .selfContained(central) }
  }

  /// Creates a gateway for a central that accepts a list of monitors.
  ///
  /// - Parameters:
  ///   - person: The person to whom the store belongs; `nil` for the user of this account.
  ///   - makeCentral: Called once for each run.
  public convenience init<Following: FollowingCentral>(
    _ registry: MonitorRegistry, policy: LivePolicy = LivePolicy(), person: String? = nil,
    makeCentral: @escaping @Sendable (FollowingTerms) async throws -> Following
  ) {
    self.init(registry, policy, person: person) { .following(try await makeCentral($0)) }
  }

  /// Creates one of the gateways of ``MultiUserGateway``. Its streams have the events of all of them.
  ///
  /// - Parameter continuesRecording: Whether it continues what ``LockedGateway`` has recorded for the store.
  convenience init(
    _ registry: MonitorRegistry, policy: LivePolicy, person: String?, sharing broadcast: EventBroadcast,
    continuesRecording: Bool = false,
    makeCentral: @escaping @Sendable (FollowingTerms) async throws -> Client
  ) {
    self.init(
      registry, policy, person: person, sharing: broadcast, continuesRecording: continuesRecording
    ) { .following(try await makeCentral($0)) }
  }

  private var sender: EventSender { EventSender(broadcast: broadcast, person: person) }

  /// Returns a stream of the gateway's events from now on until the run ends. Each call creates a new stream,
  /// for one consumer. If ``run()`` throws at the start, the stream ends without ``GatewayEvent/ended(_:)``.
  /// A stream that is created after a run delivers the events of the next run.
  ///
  /// The gateway does not wait for slow consumers. When more than 1,024 events are pending, the oldest are
  /// dropped, and ``GatewayEvent/missed(_:)`` reports their number. ``GatewayEvent/ended(_:)`` is the last
  /// event and is never dropped.
  public func events() -> AsyncStream<GatewayEvent> { broadcast.events(\.event) }

  /// Returns a stream of the events of ``events()``, each with its time.
  public func timedEvents() -> AsyncStream<TimedGatewayEvent> { broadcast.events { $0 } }

  /// Returns a stream of the events of ``timedEvents()``, each with the state of the gateway after the event.
  public func updates() -> AsyncStream<GatewayUpdate> { broadcast.updates() }

  /// Returns a stream of the gateway's states, with an element after each event until the run ends. A slow
  /// consumer gets only the newest state. The last element is the state at the end of the run. A stream that
  /// is created during a run begins with the current state.
  public func states() -> AsyncStream<GatewayState> { broadcast.states() }

  /// Checks on behalf of a watchdog that the gateway is alive: waits until the bus thread has run, the
  /// current commit has ended, and the store was read. If one of them hangs, this does not return.
  ///
  /// A missing bus or a store that returns errors is not a hang: the gateway retries.
  /// - Returns: `false` if the gateway is not running, so that nothing was checked.
  public func turn() async -> Bool { await probes.take() }

  /// The progress of the running liveness check; `nil` if no check is running.
  var probeProgress: LivenessProbe.Progress? { probes.progress }

  /// Whether the store has monitors to follow; `false` until the run has read the list of monitors.
  var hasMonitors: Bool { probes.hasMonitors.withLock(\.self) }

  /// Stores measurements until the task is canceled or the central ends. Before it returns, it commits the
  /// pending measurements, stores the start of a gap for each monitor that was connected or sent
  /// measurements, and sends ``GatewayEvent/ended(_:)``.
  ///
  /// - Precondition: The gateway is not running.
  /// - Throws: ``LostMeasurementsError`` if the last measurements could not be stored; otherwise the error
  ///   that ended the central. At the start: `HKError` if the store cannot be read, or if another gateway
  ///   runs on it and ``LivePolicy/waitsForAnother`` is `false`; or the error of creating the central.
  public func run() async throws {
    let ranAlready = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return isRunning
    }
    precondition(!ranAlready, "a gateway runs once at a time")
    if !isShared { broadcast.begin() }
    defer {
      if !isShared { broadcast.finish() }
      probes.removeAll()
      isRunning.withLock { $0 = false }
    }
    do {
      try await becomeGateway()
    } catch is CancellationError {
      sender.send(.ended(IngestionTally()))
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
      sender.send(.ended(IngestionTally()))
      return
    }
    let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
    // Not a child task, because a canceled task cannot commit. It ends after `stop` has finished.
    let running = Task { try await run.perform(until: stop) }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      // The program is about to end, so wait only briefly if another program has the store locked.
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
    let known = try await registry.known(feed.first, killed: registry.killedRun(beginning.history))
    let terms = FollowingTerms(
      clock: clock, gathering: policy.gathering,
      report: { [sender] status in
        keeper.note(status)
        sender.send(.state(status))
      }, hear: { [sender] in sender.send(.heard($0)) })
    return GatewayRun(
      registry: registry, policy: policy, source: try await source(terms), feed: feed, known: known,
      beginning: beginning, continuesRecording: continuesRecording, keeper: keeper, sender: sender,
      derivation: try derivation(),
      condensing: condensing(),
      probes: probes)
  }

  private func derivation() throws -> DerivationRun? {
    guard policy.derivesFigures else { return nil }
    return DerivationRun(try Derivation(registry.store.healthStore), pause: policy.derivationPause) {
      [sender] in sender.send(.derived(DerivationReport($0)))
    }
  }

  /// Returns the object that compacts old samples during a run; `nil` if the policy disables this.
  func condensing() -> CompactionRun? {
    guard policy.condenses else { return nil }
    return CompactionRun(
      registry.store.database, pause: policy.condensingPause,
      now: { SystemClocks.now().wall.microsecondsSince1970 }
    ) { [sender] in sender.send(.condensed(CondensingReport($0))) }
  }

  /// Makes this gateway the only one on the store. If the policy says so, waits until another one has ended.
  ///
  /// - Throws: `CancellationError` if the task is canceled while it waits.
  private func becomeGateway() async throws {
    guard policy.waitsForAnother else { return try await registry.becomeGateway() }
    probes.add(.store) { [registry] in _ = registry.hasGateway }
    defer { probes.removeAll() }
    try await registry.becomeGateway(lookingEvery: policy.lookForAnother) { [sender] process in
      sender.send(.waiting(process: process))
    }
  }
}
