import Bluetooth
import Foundation
import HealthKit
package import HealthSystem
import Ingestion
import Synchronization

/// Runs one ``HeartRateGateway`` for each store: that of the user of this account (the account owner) and
/// those of other people. All share one central.
///
/// When people are added, renamed or removed during the run, gateways are started and stopped accordingly. A
/// store that hangs, or that is damaged, locked, full or in use by another gateway, does not affect the
/// others: the error is reported, and the store is retried. If the account owner's store cannot be used at
/// the start and no other person has monitors, ``run()`` throws. If the central cannot be created, all
/// gateways end.
///
/// ``run()`` can be called only once.
package final class MultiUserGateway: Sendable {
  /// Runs a gateway, together with other work for the same store. The second argument runs the gateway
  /// itself.
  package typealias Accompanying =
    @Sendable (HeartRateGateway, @escaping @Sendable () async throws -> Void) async throws -> Void

  /// How often to check whether people were added or removed.
  private static let look = Duration.seconds(2)

  /// The person for whom the run was started; `nil` for the account owner. The last event has the final
  /// counts of this person's gateway.
  package let person: String?

  /// The path of the account owner's store. While this store is locked, measurements are recorded in its
  /// inbox. If the path is `nil`, they are not.
  let path: String?
  let openOwners: @Sendable () throws -> MonitorRegistry
  /// Finishes when the account owner's gateway uses the central, or cannot use it for now. The other gateways
  /// start only then, so that the central starts with the clock of the account owner's store if possible.
  let ownersTurn = AsyncStream.makeStream(of: Void.self)
  private let ownersTimeout: Duration
  /// Whether the account owner's gateway uses the central. If so, it ends when the central ends.
  let isOwnerConnected = Mutex(false)
  let people: People?
  let central: SharedCentral
  let policy: LivePolicy
  private let accompany: Accompanying
  private let openSound: @Sendable (String) throws -> MonitorRegistry
  let broadcast: EventBroadcast
  let probes: LivenessProbes
  private let losses = Mutex<[LostMeasurementsError]>([])

  /// - Parameters:
  ///   - person: The person for whom the run was started, whose store is the main one; `nil` for the account
  ///     owner.
  ///   - people: The people whose monitors are followed too. If `nil`, an error of the main store ends the
  ///     run.
  ///   - path: The path of the main store. While it is locked, measurements are recorded in its inbox.
  ///   - openOwners: Opens the main store, on a thread of its own.
  package convenience init(
    person: String? = nil, people: People?, path: String? = nil,
    bluetooth: BluetoothOptions = BluetoothOptions(), policy: LivePolicy = LivePolicy(),
    accompany: @escaping Accompanying = { try await $1() },
    openOwners: @escaping @Sendable () throws -> MonitorRegistry
  ) {
    self.init(
      person: person, people: people, path: path, policy: policy, accompany: accompany,
      openOwners: openOwners
    ) {
      try await bluetooth.central(on: $0)
    }
  }

  /// - Parameters:
  ///   - clockTimeout: Timeout for reading the latest times of all stores. The times of a store that takes
  ///     longer are adjusted when its gateway starts (``ClientTimes``).
  ///   - ownersTimeout: How long the other gateways wait until the account owner's store is open.
  ///   - openStore: Opens the store at a path, on a thread of its own.
  ///   - make: Creates the central. It must emit `CentralEvent.released(_:)`.
  init(
    person: String? = nil, people: People?, path: String? = nil, policy: LivePolicy = LivePolicy(),
    clockTimeout: Duration = .seconds(3), ownersTimeout: Duration = .seconds(5),
    accompany: @escaping Accompanying = { try await $1() },
    openOwners: @escaping @Sendable () throws -> MonitorRegistry,
    openStore: @escaping @Sendable (String) throws -> MonitorRegistry = {
      try MonitorRegistry(SystemStore(at: $0))
    }, make: @escaping SharedCentral.CentralFactory
  ) {
    // Do not open a damaged store, because opening writes to it.
    let openSound: @Sendable (String) throws -> MonitorRegistry = { path in
      try StoreCare.refuseDamaged(path)
      return try openStore(path)
    }
    let central = SharedCentral { terms in
      var terms = terms
      let clocks = ClientClocks(people, timeout: clockTimeout, open: openSound)
      terms.clock = await clocks.latest(terms.clock)
      return try await make(terms)
    }
    self.openSound = openSound
    self.central = central
    self.people = people
    self.policy = policy
    self.accompany = accompany
    self.person = person
    self.path = path
    self.openOwners = openOwners
    self.ownersTimeout = ownersTimeout
    broadcast = EventBroadcast(person: person, endsLast: true)
    probes = LivenessProbes { [broadcast] whose, part, isHanging in
      // All gateways share the bus, so its events carry the name of the main person.
      broadcast.send(.hanging(part, isHanging), of: part == .bus ? person : whose)
    }
  }

  /// Returns a stream of the events of all gateways, each with the state after the event. The last event has
  /// the final counts of the account owner's gateway. See ``HeartRateGateway/updates()``.
  package func updates() -> AsyncStream<GatewayUpdate> { broadcast.updates() }

  /// Returns a stream of the states. See ``HeartRateGateway/states()``.
  package func states() -> AsyncStream<GatewayState> { broadcast.states() }

  /// Runs the liveness check of each gateway (``HeartRateGateway/turn()``) repeatedly until the task is
  /// canceled. A check that is still running when the next one is due is reported as
  /// ``GatewayEvent/hanging(_:_:)``.
  ///
  /// - Parameters:
  ///   - pause: The time from one check to the next.
  ///   - worked: Called for each check that succeeded. Not called for a store without monitors if another
  ///     store has monitors.
  package func runLivenessProbes(
    every pause: Duration, clock: some Clock<Duration> = ContinuousClock(),
    worked: @escaping @Sendable () -> Void
  ) async {
    while !Task.isCancelled {
      probes.begin(worked: worked)
      try? await clock.sleep(for: pause)
    }
  }

  /// Runs the gateways until the task is canceled or the central ends.
  /// - Throws: The errors of ``HeartRateGateway/run()`` for the account owner's gateway; if no other person
  ///   has monitors, also the error of opening the account owner's store; ``LostMeasurementsError`` of other
  ///   people; the error that ended the central.
  package func run() async throws {
    let dealing = Task { try await central.run() }
    let others = Task { await followPeople() }
    let owned = Task { await followOwner() }
    @Sendable func end() {
      if central.beginStopping() { broadcast.send(.stopping) }
      owned.cancel()
      others.cancel()
    }
    let watching = Task {
      _ = await dealing.result
      // If the account owner's gateway does not use the central by now, it would wait forever.
      if !isOwnerConnected.withLock(\.self) { owned.cancel() }
    }
    let result = await withTaskCancellationHandler {
      await owned.value
    } onCancel: {
      end()
    }
    end()
    await others.value
    dealing.cancel()
    let dealt = await dealing.result
    await watching.value
    broadcast.finish()
    try result.get()
    if let loss = losses.withLock(\.first) { throw loss }
    try dealt.get()
  }

  // MARK: - The account owner

  /// Follows the account owner's monitors until the task is canceled or the central ends. If the account
  /// owner's store cannot be used, it is retried as long as monitors of other people are followed.
  private func followOwner() async -> Result<Void, any Error> {
    var policy = policy
    var failures = 0
    /// The client of the shared central that recorded while the store was locked. The gateway of the unlocked
    /// store takes it over.
    var recording: Client?
    defer { resignRecording() }
    while true {
      do {
        if let ended = try await record(&recording) { return ended }
        let registry = try await open(of: person, openOwners)
        let gateway = makeOwners(registry, policy, recording)
        let number = probes.join(LivenessProbes.Member(gateway))
        let result = await Result(catching: { try await accompany(gateway) { try await gateway.run() } })
        if isLast(result, of: registry, policy) { return result }
        probes.leave(number)
        try result.get()
      } catch {
        if Task.isCancelled { return endUnused() }
        if recording != nil, lockedInbox() != nil { continue }
        guard let people else { return .failure(error) }
        reportRefusal(person, error)
        if failures == 0 {
          let asking = Task<Bool, any Error> { [openSound] in await people.haveMonitors(open: openSound) }
          guard let areOthers = try? await valueUnlessCancelled(of: asking) else { return endUnused() }
          guard areOthers else { return .failure(error) }
        }
        failures += 1
        // Other people's monitors are already being followed. So if another process runs a gateway on the
        // account owner's store, wait for it instead of ending.
        policy.waitsForAnother = true
        await pause(person, for: policy.delay(afterFailures: failures))
      }
    }
  }

  /// Ends a run in which the account owner's store was not used: all counts are 0.
  private func endUnused() -> Result<Void, any Error> {
    broadcast.send(.ended(IngestionTally()))
    return .success(())
  }

  /// Returns whether the account owner's gateway will not be restarted, so that the whole run ends.
  private func isLast(
    _ result: Result<Void, any Error>, of registry: MonitorRegistry, _ policy: LivePolicy
  ) -> Bool {
    guard people != nil, case .failure(let error) = result else { return true }
    return error is LostMeasurementsError || isOwnerConnected.withLock(\.self)
      || !policy.waitsForAnother && registry.hasGateway
  }

  /// Reports that a store cannot be used.
  private func reportRefusal(_ whose: String?, _ error: any Error) {
    broadcast.send(.refused(reason: error.localizedDescription), of: whose)
  }

  /// Waits before a store is retried. In the meantime, the liveness check of the store succeeds immediately.
  private func pause(_ whose: String?, for pause: Duration) async {
    ownersTurn.continuation.finish()
    let number = probes.join(
      LivenessProbes.Member(person: whose, hasMonitors: { false }, progress: { nil }, take: { true }))
    defer { probes.leave(number) }
    try? await Task.sleep(for: pause)
  }

  // MARK: - Other people

  private func followPeople() async {
    guard let people else { return }
    await untilOwnersTurnIsOver()
    await withDiscardingTaskGroup { group in
      var followed: [PersonName: Task<Void, Never>] = [:]
      while !Task.isCancelled {
        // If the directory of people's stores cannot be read, keep following the people known so far.
        if let present = try? people.present() {
          for name in followed.keys where !present.contains(name) {
            followed.removeValue(forKey: name)?.cancel()
          }
          for name in present where followed[name] == nil {
            let task = Task { await follow(name, in: people) }
            followed[name] = task
            group.addTask { await task.value }
          }
        }
        try? await Task.sleep(for: Self.look)
      }
      for task in followed.values { task.cancel() }
    }
  }

  /// Returns when the account owner's gateway uses the central or cannot use it for now, or the timeout has
  /// passed.
  private func untilOwnersTurnIsOver() async {
    let ends = [
      Task { [ownersTurn, ownersTimeout] in
        try? await Task.sleep(for: ownersTimeout)
        ownersTurn.continuation.finish()
      },
      Task { [ownersTurn, broadcast] in
        for await state in broadcast.states() where state.waiting != nil { ownersTurn.continuation.finish() }
      },
    ]
    for await _ in ownersTurn.stream {}
    for end in ends { end.cancel() }
  }

  /// Follows a person's monitors until the task is canceled or the central ends.
  private func follow(_ name: PersonName, in people: People) async {
    var policy = policy
    policy.waitsForAnother = true
    var failures = 0
    while !Task.isCancelled {
      do {
        let registry = try await open(of: name.text) { [openSound] in
          try openSound(people.home.people.store(of: name))
        }
        let gateway = HeartRateGateway(registry, policy: policy, person: name.text, sharing: broadcast) {
          [central] in try await central.client(on: $0)
        }
        let number = probes.join(LivenessProbes.Member(gateway))
        defer { probes.leave(number) }
        return try await accompany(gateway) { try await gateway.run() }
      } catch let loss as LostMeasurementsError {
        return losses.withLock { $0.append(loss) }
      } catch {
        guard !Task.isCancelled, central.failure == nil else { return }
        failures += 1
        reportRefusal(name.text, error)
        await pause(name.text, for: policy.delay(afterFailures: failures))
      }
    }
  }

  /// Opens a store. Its liveness check does not succeed until the store is open.
  /// - Throws: `CancellationError` as soon as the task is canceled. If opening hangs, it is abandoned. No
  ///   measurement is lost, because none has been received for this store.
  private func open(
    of person: String?, _ open: @escaping @Sendable () throws -> MonitorRegistry
  ) async throws -> MonitorRegistry {
    let opening = Task { try await blocking(open) }
    let number = probes.join(
      LivenessProbes.Member(
        person: person, hasMonitors: { false }, progress: { LivenessProbe.Progress(part: .store) }
      ) {
        _ = await opening.result
        return false
      })
    defer { probes.leave(number) }
    return try await valueUnlessCancelled(of: opening)
  }
}

extension LivenessProbes.Member {
  init(_ gateway: HeartRateGateway) {
    self.init(
      person: gateway.person, hasMonitors: { gateway.hasMonitors }, progress: { gateway.probeProgress }
    ) { await gateway.turn() }
  }
}

extension Result where Failure == any Error {
  fileprivate init(catching body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
