import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization

extension MultiUserGateway {
  /// Returns the inbox of the owner's store if it is locked and the only store. With several people it is not
  /// known whose monitors are followed.
  func lockedInbox() -> SealedInbox? {
    guard let path, let inbox = SealedInbox.ofLockedStore(at: path) else { return nil }
    if let people, (try? people.present().isEmpty) != true { return nil }
    return inbox
  }

  /// If the store is locked, records until it is unlocked.
  /// - Parameter recording: The view of the central, which goes on after unlocking.
  /// - Returns: The result of the run if it has ended meanwhile.
  /// - Throws: `HKError` if another gateway runs; the error of creating the central.
  func record(_ recording: inout Client?) async throws -> Ending? {
    guard let inbox = lockedInbox() else { return nil }
    let before = recording
    recording = nil
    switch try await record(in: inbox, before) {
    case .ended(let tally, let failure):
      return (.account(tally), failure.map { .failure($0) } ?? .success(()))
    case .unlocked(let client): recording = client
    }
    return nil
  }

  /// Creates the gateway of the owner's store, which goes on with the links of a recording.
  func makeOwners(
    _ registry: MonitorRegistry, _ policy: LivePolicy, _ recording: Client?
  ) -> HeartRateGateway {
    if let recording {
      return HeartRateGateway(
        continuing: recording, of: central, registry, policy: policy, person: person)
    }
    return HeartRateGateway(registry, policy: policy, person: person) { [weak self, central] in
      self?.isOwnerConnected.withLock { $0 = true }
      let client = try await central.client(on: $0)
      self?.ownersTurn.continuation.finish()
      return client
    }
  }

  private func record(in inbox: SealedInbox, _ recording: Client?) async throws -> LockedGateway.Outcome {
    try await becomeGateway(of: inbox)
    defer { inbox.resignAsGateway() }
    let clocks = SystemClocks.now()
    let clock = ReceiptClock(boottimeNanoseconds: clocks.boottimeNanoseconds, wall: clocks.wall)
    let terms = FollowingTerms(
      clock: clock, gathering: policy.gathering, report: { [broadcast] in broadcast.send(.state($0)) },
      hear: { [broadcast] in broadcast.send(.heard($0)) })
    let client: Client
    if let recording {
      client = central.hand(recording, to: terms)
    } else {
      isOwnerConnected.withLock { $0 = true }
      client = try await central.client(on: terms)
    }
    ownersTurn.continuation.finish()
    let gateway = LockedGateway(
      inbox: inbox, client: client, policy: policy, broadcast: broadcast,
      trusted: { [central] in try await central.trustedMonitors() })
    let number = probes.join(
      LivenessProbes.Member(person: person, hasMonitors: { true }, place: { nil }) {
        await client.takeTurn()
        return true
      })
    defer { probes.leave(number) }
    let beginning = ClockBeginning(
      history: ClockHistory(), setting: ClockSetting(boot: ClockSetting.thisBoot, origin: clock.origin),
      now: clocks.wall, wall: clocks.wall, latest: nil)
    let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
    // Not a child task: a canceled task could not disconnect cleanly, and would seal nothing.
    let running = Task { await gateway.run(beginning, until: stop) }
    return await withTaskCancellationHandler {
      await running.value
    } onCancel: {
      stopping.finish()
    }
  }

  private func becomeGateway(of inbox: SealedInbox) async throws {
    var hasReported = false
    while true {
      do {
        return try inbox.becomeGateway()
      } catch StorageError.gatewayRuns(let process) {
        guard policy.waitsForAnother else {
          return try HKError.translating { throw StorageError.gatewayRuns(process: process) }
        }
        if !hasReported { broadcast.send(.waiting(process: process)) }
        hasReported = true
        ownersTurn.continuation.finish()
        try await Task.sleep(for: policy.lookForAnother)
      }
    }
  }
}
