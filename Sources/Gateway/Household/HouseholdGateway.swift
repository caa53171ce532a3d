import BluetoothCentral
import Foundation
import HealthKit
package import HealthSystem
import Synchronization

/// One gateway for the owner and for all people whose stores they keep: a ``HeartRateGateway`` for each
/// store, with its own lock, gaps, clock, derived figures and account, behind one central.
///
/// Whoever is added while it runs is taken up, and whoever is renamed or removed is let go. A store that
/// cannot be used, because it is damaged, locked, full, or another gateway runs on it, is tried again, and
/// concerns no other. Nor does one that hangs: it is told of. The household ends with the owner's gateway.
///
/// It runs once.
package final class HouseholdGateway: Sendable {
  /// Does what belongs to a gateway of the household for as long as it runs, which is what the closure does.
  package typealias Accompanying =
    @Sendable (HeartRateGateway, @escaping @Sendable () async throws -> Void) async throws -> Void

  /// How often it is looked who there is.
  private static let look = Duration.seconds(2)

  /// Of whose store the account is the last word; `nil` for the owner.
  package var person: String? { owner.person }

  private let owner: HeartRateGateway
  private let people: People?
  private let central: SharedCentral
  private let policy: LivePolicy
  private let accompany: Accompanying
  private let openSound: @Sendable (String) throws -> MonitorRegistry
  private let broadcast = EventBroadcast()
  private let turns: HouseholdTurns
  private let losses = Mutex<[LostMeasurements]>([])

  /// - Parameters:
  ///   - owner: The store that is always there.
  ///   - person: Whose it is, where it is not the owner's.
  ///   - people: Whose monitors are followed beside those of the owner; `nil` for nobody's.
  package convenience init(
    _ owner: MonitorRegistry, person: String? = nil, people: People?,
    bluetooth: BluetoothOptions = BluetoothOptions(), policy: LivePolicy = LivePolicy(),
    accompany: @escaping Accompanying = { try await $1() }
  ) {
    self.init(owner, person: person, people: people, policy: policy, accompany: accompany) {
      try await bluetooth.central(on: $0)
    }
  }

  /// - Parameters:
  ///   - clockPatience: So long the others wait for the clocks of all stores. One that takes longer begins
  ///     with a clock fitted to its own.
  ///   - openStore: Opens the store at a path, on a thread of its own.
  ///   - make: Makes the central, which tells `CentralEvent.released(_:)`.
  init(
    _ owner: MonitorRegistry, person: String? = nil, people: People?, policy: LivePolicy = LivePolicy(),
    clockPatience: Duration = .seconds(3), accompany: @escaping Accompanying = { try await $1() },
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
    self.owner = HeartRateGateway(owner, policy: policy, person: person) { try await central.seat(on: $0) }
    turns = HouseholdTurns { [broadcast] whose, part, isHanging in
      // The bus is nobody's in particular, and the household speaks with its owner's name.
      let about = part == .bus ? person : whose
      broadcast.relay(TimedGatewayEvent(told: .now(), person: about, event: .hanging(part, isHanging)))
    }
  }

  /// What the gateways have to say, each event with whom it is about. The account of the owner's run is the
  /// last.
  package func timedEvents() -> AsyncStream<TimedGatewayEvent> { broadcast.stream { $0 } }

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
  /// - Throws: As ``HeartRateGateway/run()`` does for the owner's gateway; ``LostMeasurements`` of others.
  package func run() async throws {
    let told = Relay(owner.timedEvents(), to: broadcast)
    _ = turns.join(HouseholdTurns.Member(owner))
    let dealing = Task { try await central.run() }
    let others = Task { await followPeople() }
    let owned = Task { try await accompany(owner) { [owner] in try await owner.run() } }
    @Sendable func end() {
      if central.beginStopping() {
        broadcast.relay(TimedGatewayEvent(told: .now(), person: person, event: .stopping))
      }
      owned.cancel()
      others.cancel()
    }
    let outcome = await withTaskCancellationHandler {
      await owned.result
    } onCancel: {
      end()
    }
    end()
    await others.value
    dealing.cancel()
    let dealt = await dealing.result
    await told.finish()
    broadcast.finish()
    try outcome.get()
    if let loss = losses.withLock(\.first) { throw loss }
    try dealt.get()
  }

  // MARK: - The people

  private func followPeople() async {
    guard let people else { return }
    await central.whenMade()
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

  /// Follows a person's monitors until the task is cancelled or the central ends.
  private func follow(_ name: PersonName, in people: People) async {
    var policy = policy
    policy.waitsForAnother = true
    var failures = 0
    while !Task.isCancelled {
      do {
        let registry = try await open(people.home.people.store(of: name), of: name)
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
        guard !Task.isCancelled else { return }
        failures += 1
        broadcast.relay(
          TimedGatewayEvent(
            told: .now(), person: name.text, event: .refused(reason: error.localizedDescription)))
        try? await Task.sleep(for: policy.delay(afterFailures: failures))
      }
    }
  }

  /// Opens a person's store, which takes no turn but this until it is open.
  /// - Throws: `CancellationError` as soon as the task is cancelled: an opening that hangs is left behind,
  ///   for nothing was measured that it could lose.
  private func open(_ store: String, of name: PersonName) async throws -> MonitorRegistry {
    let opening = Task { [openSound] in
      try await blocking { try openSound(store) }
    }
    let number = turns.join(
      HouseholdTurns.Member(
        person: name.text, hasMonitors: { false }, place: { GatewayTurns.Place(part: .store) }
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

/// Passes on what a gateway tells, and its last word when it is time.
private struct Relay {
  private let passing: Task<TimedGatewayEvent?, Never>
  private let broadcast: EventBroadcast

  init(_ events: AsyncStream<TimedGatewayEvent>, to broadcast: EventBroadcast) {
    self.broadcast = broadcast
    passing = Task {
      var last: TimedGatewayEvent?
      for await event in events {
        if case .ended = event.event { last = event } else { broadcast.relay(event) }
      }
      return last
    }
  }

  func finish() async {
    if let last = await passing.value { broadcast.relay(last) }
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
