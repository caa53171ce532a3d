import BluetoothCentral
import Ingestion

/// Where the events of a run come from.
enum EventSource: Sendable {
  /// It is told nothing.
  case unattended(any Central)
  case following(any FollowingCentral)
}

/// One run of a gateway, once everything that it needs is there.
struct GatewayRun: Sendable {
  let registry: MonitorRegistry
  let policy: LivePolicy
  let source: EventSource
  let feed: EnrolmentFeed
  let keeper: StatusKeeper
  let broadcast: EventBroadcast

  /// Works until `stop` or the central ends, then commits what is left.
  /// - Throws: ``LostMeasurements``.
  func perform(until stop: AsyncStream<Void>) async throws {
    let (enrolments, enrolment) = AsyncStream.makeStream(
      of: [EnrolledMonitor].self, bufferingPolicy: .bufferingNewest(1))
    let (tally, failure) = await withDiscardingTaskGroup { group in
      group.addTask {
        await feed.run { monitors in
          broadcast.send(.enrolled(monitors))
          keeper.enrolmentsChanged()
          enrolment.yield(monitors)
          if case .following(let central) = source { await central.follow(monitors) }
        }
      }
      group.addTask { await keeper.run() }
      if case .following(let central) = source {
        group.addTask { await central.run() }
        group.addTask {
          for await _ in stop {}
          await central.stop()
        }
      }
      let outcome = await gather(enrolments, until: stop)
      group.cancelAll()
      return outcome
    }
    await keeper.end()
    broadcast.send(.ended(tally))
    if let failure { throw LostMeasurements(cause: failure) }
  }

  private func gather(
    _ enrolments: AsyncStream<[EnrolledMonitor]>, until stop: AsyncStream<Void>
  ) async -> (tally: IngestionTally, failure: (any Error)?) {
    let onCommit = { @Sendable [broadcast] in broadcast.send(.committed($0)) }
    switch source {
    case .unattended(let central):
      return await LivePipeline(registry, policy: policy)
        .run(central, until: stop, enrolments: enrolments, onCommit: onCommit)
    case .following(let central):
      var policy = policy
      // The central has gathered for so long already.
      policy.commitInterval = .zero
      return await LivePipeline(registry, policy: policy)
        .run(central, enrolments: enrolments, onCommit: onCommit)
    }
  }
}
