import Bluetooth
import Foundation
import HealthKit
package import HealthSystem
import Ingestion
import Synchronization

/// One gateway for the owner and for all people whose stores they keep: a ``HeartRateGateway`` for each
/// store, with its own lock, gaps, clock, derived figures and account, behind one central.
///
/// Whoever is added while it runs is taken up, and whoever is renamed or removed is let go. A store that
/// cannot be used, because it is damaged, locked, full, or another gateway runs on it, is tried again, and
/// concerns no other. Nor does one that hangs: it is told of. The owner's is one of them, but where it cannot
/// be used at the beginning and nobody else has monitors, nothing is followed, and the run ends with the
/// reason. What keeps the central from being made is everybody's end.
///
/// It runs once.
package final class HouseholdGateway: Sendable {
  /// Does what belongs to a gateway of the household for as long as it runs, which is what the closure does.
  package typealias Accompanying =
    @Sendable (HeartRateGateway, @escaping @Sendable () async throws -> Void) async throws -> Void

  /// How often it is looked who there is.
  private static let look = Duration.seconds(2)

  /// Of whose store the account is the last word; `nil` for the owner.
  package let person: String?

  private let openOwners: @Sendable () throws -> MonitorRegistry
  /// The others begin when the owner's gateway has its seat, or does not take it for now: where that store
  /// can be used, the central begins with its clock.
  private let ownersTurn = AsyncStream.makeStream(of: Void.self)
  private let ownersPatience: Duration
  /// The owner's gateway has asked for a seat, and ends with the central.
  private let isOwnerSeated = Mutex(false)
  private let people: People?
  private let central: SharedCentral
  private let policy: LivePolicy
  private let accompany: Accompanying
  private let openSound: @Sendable (String) throws -> MonitorRegistry
  private let broadcast: EventBroadcast
  private let turns: HouseholdTurns
  private let losses = Mutex<[LostMeasurements]>([])

  /// - Parameters:
  ///   - person: Whose the store is, where it is not the owner's.
  ///   - people: Whose monitors are followed beside those of the owner; `nil` for nobody's, and then what
  ///     keeps the store from being used ends the run.
  ///   - openOwners: Opens the owner's store, on a thread of its own.
  package convenience init(
    person: String? = nil, people: People?,
    bluetooth: BluetoothOptions = BluetoothOptions(), policy: LivePolicy = LivePolicy(),
    accompany: @escaping Accompanying = { try await $1() },
    openOwners: @escaping @Sendable () throws -> MonitorRegistry
  ) {
    self.init(
      person: person, people: people, policy: policy, accompany: accompany, openOwners: openOwners
    ) {
      try await bluetooth.central(on: $0)
    }
  }

  /// - Parameters:
  ///   - clockPatience: So long the others wait for the clocks of all stores. One that takes longer begins
  ///     with a clock fitted to its own.
  ///   - ownersPatience: So long they wait for the owner's store to be opened.
  ///   - openStore: Opens the store at a path, on a thread of its own.
  ///   - make: Makes the central, which tells `CentralEvent.released(_:)`.
  init(
    person: String? = nil, people: People?, policy: LivePolicy = LivePolicy(),
    clockPatience: Duration = .seconds(3), ownersPatience: Duration = .seconds(5),
    accompany: @escaping Accompanying = { try await $1() },
    openOwners: @escaping @Sendable () throws -> MonitorRegistry,
    openStore: @escaping @Sendable (String) throws -> MonitorRegistry = {
      try MonitorRegistry(SystemStore(at: $0))
    }, make: @escaping SharedCentral.Making
  ) {
    // A damaged store is left as it is, whoever asks: opened, it would be written to.
    let openSound: @Sendable (String) throws -> MonitorRegistry = { path in
      try StoreCare.refuseDamaged(path)
      return try openStore(path)
    }
    let central = SharedCentral { terms in
      var terms = terms
      let clocks = SeatClocks(people, patience: clockPatience, open: openSound)
      terms.clock = await clocks.latest(terms.clock)
      return try await make(terms)
    }
    self.openSound = openSound
    self.central = central
    self.people = people
    self.policy = policy
    self.accompany = accompany
    self.person = person
    self.openOwners = openOwners
    self.ownersPatience = ownersPatience
    broadcast = EventBroadcast(person: person)
    turns = HouseholdTurns { [broadcast] whose, part, isHanging in
      // The bus is nobody's in particular, and the household speaks with its owner's name.
      let about = part == .bus ? person : whose
      broadcast.relay(TimedGatewayEvent(told: .now(), person: about, event: .hanging(part, isHanging)))
    }
  }

  /// The events of all gateways, each with the state after it. The last event is the account of the owner's
  /// run. See ``HeartRateGateway/updates()``.
  package func updates() -> AsyncStream<GatewayUpdate> { broadcast.updates() }

  /// See ``HeartRateGateway/states()``.
  package func states() -> AsyncStream<GatewayState> { broadcast.states() }

  /// Has each gateway take a turn as ``HeartRateGateway/turn()`` is, again and again until the task is
  /// cancelled. Whose turn has not ended when the next is due is told of by ``GatewayEvent/hanging(_:_:)``.
  ///
  /// - Parameters:
  ///   - pause: From one turn to the next.
  ///   - worked: Called for each turn that was taken. Not for that of a store without monitors, where another
  ///     has some.
  package func takeTurns(
    every pause: Duration, clock: some Clock<Duration> = ContinuousClock(),
    worked: @escaping @Sendable () -> Void
  ) async {
    while !Task.isCancelled {
      turns.begin(worked: worked)
      try? await clock.sleep(for: pause)
    }
  }

  /// Runs until the task is cancelled or the central ends.
  /// - Throws: As ``HeartRateGateway/run()`` does for the owner's gateway, and what keeps their store from
  ///   being opened, where nobody else has monitors; ``LostMeasurements`` of others; the error that ended the
  ///   central.
  package func run() async throws {
    let dealing = Task { try await central.run() }
    let others = Task { await followPeople() }
    let owned = Task { await followOwner() }
    @Sendable func end() {
      if central.beginStopping() {
        broadcast.relay(TimedGatewayEvent(told: .now(), person: person, event: .stopping))
      }
      owned.cancel()
      others.cancel()
    }
    let watching = Task {
      _ = await dealing.result
      // Whoever has no seat by now would wait for nothing.
      if !isOwnerSeated.withLock(\.self) { owned.cancel() }
    }
    let outcome = await withTaskCancellationHandler {
      await owned.value
    } onCancel: {
      end()
    }
    end()
    await others.value
    dealing.cancel()
    let dealt = await dealing.result
    await watching.value
    switch outcome.lastWord {
    case .gateways(let told): await told.finish()
    case .emptyAccount:
      broadcast.relay(TimedGatewayEvent(told: .now(), person: person, event: .ended(IngestionTally())))
    case nil: break
    }
    broadcast.finish()
    try outcome.result.get()
    if let loss = losses.withLock(\.first) { throw loss }
    try dealt.get()
  }

  // MARK: - The owner

  /// Is told after the others'.
  private enum LastWord {
    /// That of the owner's gateway.
    case gateways(Relay)
    /// Their store was not used.
    case emptyAccount
  }

  /// Follows the owner's monitors until the task is cancelled or the central ends. A store that cannot be
  /// used is tried again, as long as there are others whose monitors are followed.
  ///
  /// - Returns: What it came to, and the last word, where there is one.
  private func followOwner() async -> (lastWord: LastWord?, result: Result<Void, any Error>) {
    var policy = policy
    var failures = 0
    while true {
      do {
        let registry = try await open(of: person, openOwners)
        let gateway = HeartRateGateway(registry, policy: policy, person: person) { [weak self, central] in
          self?.isOwnerSeated.withLock { $0 = true }
          let seat = try await central.seat(on: $0)
          self?.ownersTurn.continuation.finish()
          return seat
        }
        let told = Relay(gateway.timedEvents(), to: broadcast) { [ownersTurn] event in
          if case .waiting = event { ownersTurn.continuation.finish() }
        }
        let number = turns.join(HouseholdTurns.Member(gateway))
        let result = await Result(catching: { try await accompany(gateway) { try await gateway.run() } })
        if isLast(result, of: registry, policy) { return (.gateways(told), result) }
        turns.leave(number)
        await told.finish()
        try result.get()
      } catch {
        if Task.isCancelled { return (.emptyAccount, .success(())) }
        guard let people else { return (nil, .failure(error)) }
        tellRefusal(person, error)
        if failures == 0 {
          let asking = Task<Bool, any Error> { [openSound] in await people.haveMonitors(open: openSound) }
          guard let areOthers = try? await valueUnlessCancelled(of: asking) else {
            return (.emptyAccount, .success(()))
          }
          guard areOthers else { return (nil, .failure(error)) }
        }
        failures += 1
        // From here on the run is one of others, too, and does not end because another has the owner's store.
        policy.waitsForAnother = true
        await pause(person, for: policy.delay(afterFailures: failures))
      }
    }
  }

  /// Whether the owner's gateway has ended for good, and the household does with it.
  private func isLast(
    _ result: Result<Void, any Error>, of registry: MonitorRegistry, _ policy: LivePolicy
  ) -> Bool {
    guard people != nil, case .failure(let error) = result else { return true }
    return error is LostMeasurements || isOwnerSeated.withLock(\.self)
      || !policy.waitsForAnother && registry.hasGateway
  }

  /// Tells that a store cannot be used.
  private func tellRefusal(_ whose: String?, _ error: any Error) {
    broadcast.relay(
      TimedGatewayEvent(told: .now(), person: whose, event: .refused(reason: error.localizedDescription)))
  }

  /// Pauses until a store is tried again. Meanwhile its turns are those of one who has nothing to do.
  private func pause(_ whose: String?, for pause: Duration) async {
    ownersTurn.continuation.finish()
    let number = turns.join(
      HouseholdTurns.Member(person: whose, hasMonitors: { false }, place: { nil }, take: { true }))
    defer { turns.leave(number) }
    try? await Task.sleep(for: pause)
  }

  // MARK: - The people

  private func followPeople() async {
    guard let people else { return }
    await untilOwnersTurnIsOver()
    await withDiscardingTaskGroup { group in
      var followed: [PersonName: Task<Void, Never>] = [:]
      while !Task.isCancelled {
        // A folder that cannot be read just now says nothing about who there is.
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

  /// Returns when the owner's gateway has its seat, does not take it for now, or takes too long.
  private func untilOwnersTurnIsOver() async {
    let waiting = Task { [ownersTurn, ownersPatience] in
      try? await Task.sleep(for: ownersPatience)
      ownersTurn.continuation.finish()
    }
    for await _ in ownersTurn.stream {}
    waiting.cancel()
  }

  /// Follows a person's monitors until the task is cancelled or the central ends.
  private func follow(_ name: PersonName, in people: People) async {
    var policy = policy
    policy.waitsForAnother = true
    var failures = 0
    while !Task.isCancelled {
      do {
        let registry = try await open(of: name.text) { [openSound] in
          try openSound(people.home.people.store(of: name))
        }
        let gateway = HeartRateGateway(registry, policy: policy, person: name.text) { [central] in
          try await central.seat(on: $0)
        }
        let told = Relay(gateway.timedEvents(), to: broadcast)
        let number = turns.join(HouseholdTurns.Member(gateway))
        defer { turns.leave(number) }
        let result = await Result(catching: { try await accompany(gateway) { try await gateway.run() } })
        await told.finish()
        return try result.get()
      } catch let loss as LostMeasurements {
        return losses.withLock { $0.append(loss) }
      } catch {
        guard !Task.isCancelled, central.failure == nil else { return }
        failures += 1
        tellRefusal(name.text, error)
        await pause(name.text, for: policy.delay(afterFailures: failures))
      }
    }
  }

  /// Opens a store, which takes no turn but this until it is open.
  /// - Throws: `CancellationError` as soon as the task is cancelled: an opening that hangs is left behind,
  ///   for nothing was measured that it could lose.
  private func open(
    of person: String?, _ open: @escaping @Sendable () throws -> MonitorRegistry
  ) async throws -> MonitorRegistry {
    let opening = Task { try await blocking(open) }
    let number = turns.join(
      HouseholdTurns.Member(
        person: person, hasMonitors: { false }, place: { GatewayTurns.Place(part: .store) }
      ) {
        _ = await opening.result
        return false
      })
    defer { turns.leave(number) }
    return try await valueUnlessCancelled(of: opening)
  }
}

extension HouseholdTurns.Member {
  init(_ gateway: HeartRateGateway) {
    self.init(
      person: gateway.person, hasMonitors: { gateway.hasMonitors }, place: { gateway.turnPlace }
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
