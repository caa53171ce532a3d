import Bluetooth
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization

/// The source of a run's events.
enum CentralSource: Sendable {
  /// A central with a fixed set of monitors. The run ends when the central does, or when the central's events
  /// are no longer read.
  case selfContained(any Central)
  case following(any FollowingCentral)
}

/// When the central was asked to stop; `nil` before.
private final class StopRequest: Sendable {
  let begun = Mutex<ContinuousClock.Instant?>(nil)
}

/// One run of a gateway, from the first event to the last commit.
struct GatewayRun: Sendable {
  let registry: MonitorRegistry
  let policy: LivePolicy
  let source: CentralSource
  let feed: EnrolmentFeed
  /// What the store knows about the monitors at the start of the run.
  let known: [PeripheralIdentity: KnownStrap]
  let beginning: ClockBeginning
  let continuesRecording: Bool
  let keeper: StatusKeeper
  let sender: EventSender
  /// Computes samples such as the resting heart rate from stored samples; `nil` to disable this.
  let derivation: DerivationRun?
  /// Compacts old samples; `nil` to disable this.
  let condensing: CompactionRun?
  let probes: LivenessProbe

  /// Stores measurements until `stop` finishes or the central ends, then commits the rest.
  /// - Throws: ``LostMeasurementsError``; or, if none were lost, the error that ended the central.
  func perform(until stop: AsyncStream<Void>) async throws {
    let (enrolments, enrolment) = AsyncStream.makeStream(
      of: [EnrolledMonitor].self, bufferingPolicy: .bufferingNewest(1))
    let stopping = StopRequest()
    if case .following(let central) = source { probes.add(.bus) { await central.respondToProbe() } }
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let outcome = await withDiscardingTaskGroup { group in
      group.addTask {
        await feed.run { monitors in
          probes.hasMonitors.withLock { $0 = !monitors.isEmpty }
          sender.send(.enrolled(monitors))
          keeper.enrolmentsChanged()
          enrolment.yield(monitors)
        }
      }
      group.addTask { await keeper.run() }
      if let derivation { group.addTask(priority: .utility) { await derivation.run() } }
      if let condensing { group.addTask(priority: .background) { await condensing.run() } }
      group.addTask {
        for await block in registry.store.database.damagedBlocks.updates() {
          sender.send(.damaged(reason: StorageError.damagedBlock(block).description))
        }
      }
      if case .following(let central) = source {
        group.addTask { await central.run() }
        group.addTask {
          for await _ in stop {}
          guard !Task.isCancelled else { return }
          stopping.begun.withLock { $0 = .now }
          await central.stop()
          release.finish()
        }
      }
      let outcome = await gather(enrolments, until: stop)
      // Wait for the central to stop before the group is canceled, because a canceled task cannot disconnect
      // cleanly. Measurements that arrive in the meantime are stored.
      if stopping.begun.withLock(\.self) != nil {
        for await _ in released {}
      } else if case .following(let central) = source {
        await central.stop()
      }
      group.cancelAll()
      return outcome
    }
    await keeper.end()
    let left = stopping.begun.withLock(\.self).map { LivePolicy.lastWork - (.now - $0) }
    await derivation?.finish(within: min(policy.lastDerivation, max(.zero, left ?? policy.lastDerivation)))
    sender.send(.ended(outcome.tally))
    if let loss = outcome.loss { throw loss }
    if let failure = outcome.failure { throw failure }
  }

  private func gather(
    _ enrolments: AsyncStream<[EnrolledMonitor]>, until stop: AsyncStream<Void>
  ) async -> LiveOutcome {
    let onCommit = { @Sendable [sender] in sender.send(.committed($0)) }
    let watch = LiveWatch(
      isWatched: { [sender] in sender.isWatched },
      count: { [sender] in sender.send(.counted($0, heldBack: $1)) }
    ) { [sender] readings in
      for event in GatewayEvent.live(readings) { sender.send(event) }
    }
    switch source {
    case .selfContained(let central):
      return await LivePipeline(registry, policy: policy, continuesRecording: continuesRecording)
        .run(
          central, known: known, enrolled: feed.first, beginning: beginning, until: stop,
          enrolments: enrolments, onCommit: onCommit, watch: watch, probes: probes)
    case .following(let central):
      var policy = policy
      policy.commitInterval = policy.intervalAfterGathering
      return await LivePipeline(registry, policy: policy, continuesRecording: continuesRecording)
        .run(
          central, known: known, enrolled: feed.first, beginning: beginning, enrolments: enrolments,
          onCommit: onCommit,
          // Follow the monitors only once their descriptions are known, because the first measurement needs
          // them.
          onKnown: { await central.follow($0) }, watch: watch, probes: probes)
    }
  }
}
