import Bluetooth
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization

extension MultiUserGateway {
  /// Returns the inbox of the account owner's store if that store is locked and there are no other people.
  /// With several people, the inbox cannot be used, because only the stores know whose monitor it is.
  func lockedInbox() -> SealedInbox? {
    guard let path, let inbox = SealedInbox.ofLockedStore(at: path) else { return nil }
    if let people, (try? people.present().isEmpty) != true { return nil }
    return inbox
  }

  /// If the store is locked, records measurements in its inbox until the store is unlocked.
  /// - Parameter recording: The client of the shared central that a previous recording used, or `nil`. After
  ///   unlocking, it is the client that the gateway of the store takes over.
  /// - Returns: The result of the run if it ended during the recording; otherwise `nil`.
  /// - Throws: `HKError` if another gateway runs on the store; the error of creating the central.
  func record(_ recording: inout Client?) async throws -> Result<Void, any Error>? {
    guard let inbox = lockedInbox() else { return nil }
    let before = recording
    recording = nil
    switch try await record(in: inbox, before) {
    case .ended(let tally, let failure):
      broadcast.send(.ended(tally))
      return failure.map { .failure($0) } ?? .success(())
    case .unlocked(let client): recording = client
    }
    return nil
  }

  /// Creates the gateway of the account owner's store. After a recording for the locked store, it takes over
  /// the connections of the recording.
  func makeOwners(
    _ registry: MonitorRegistry, _ policy: LivePolicy, _ recording: Client?
  ) -> HeartRateGateway {
    if let recording {
      return HeartRateGateway(
        registry, policy: policy, person: person, sharing: broadcast, continuesRecording: true
      ) { [central] in central.hand(recording, to: $0) }
    }
    return HeartRateGateway(registry, policy: policy, person: person, sharing: broadcast) {
      [weak self, central] in
      self?.isOwnerConnected.withLock { $0 = true }
      let client = try await central.client(on: $0)
      self?.ownersTurn.continuation.finish()
      return client
    }
  }

  private func record(in inbox: SealedInbox, _ recording: Client?) async throws -> LockedGateway.Outcome {
    try await becomeGateway(of: inbox)
    var isContinued = false
    defer { if isContinued { inbox.handOverGateway() } else { inbox.resignAsGateway() } }
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
      LivenessProbes.Member(person: person, hasMonitors: { true }, progress: { nil }) {
        await client.respondToProbe()
        return true
      })
    defer { probes.leave(number) }
    let beginning = ClockBeginning(
      history: ClockHistory(), setting: ClockSetting(boot: ClockSetting.thisBoot, origin: clock.origin),
      now: clocks.wall, wall: clocks.wall, latest: nil)
    let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
    // Not a child task, because a canceled task could neither disconnect cleanly nor write the last events to
    // the inbox.
    let running = Task { await gateway.run(beginning, until: stop) }
    let outcome = await withTaskCancellationHandler {
      await running.value
    } onCancel: {
      stopping.finish()
    }
    if case .unlocked = outcome { isContinued = true }
    return outcome
  }

  /// Releases the gateway lock of a recording whose gateway did not start.
  func resignRecording() {
    guard let path else { return }
    (try? SealedInbox(ofStoreAt: path))?.resignHandedOver()
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
        try await Task.sleep(for: policy.lookForAnother)
      }
    }
  }
}
