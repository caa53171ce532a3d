import Bluetooth
import HealthStorage
import Ingestion

/// A gateway whose store is locked: it records what monitors send, sealed with the store's public key.
///
/// The list of enrolled monitors is in the store. It follows the monitors that were paired with this machine;
/// when the inbox is merged, measurements of monitors that are not enrolled are counted and dropped.
struct LockedGateway: Sendable {
  enum Outcome: Sendable {
    /// The store was unlocked. The view of the central goes on, with events that were not received yet.
    case unlocked(Client)
    /// The central has ended, or the task was canceled. The error is that of measurements that could not be
    /// sealed, or of the central.
    case ended(IngestionTally, (any Error)?)
  }

  /// The time from one check whether the store is unlocked to the next.
  private static let look = Duration.seconds(1)
  /// The time until the list of monitors is asked for again, if it failed or was empty.
  private static let retry = Duration.seconds(5)

  let inbox: SealedInbox
  let client: Client
  let policy: LivePolicy
  let broadcast: EventBroadcast
  let trusted: @Sendable () async throws -> [EnrolledMonitor]

  /// - Parameter stop: Ends the run when it finishes.
  func run(_ beginning: ClockBeginning, until stop: AsyncStream<Void>) async -> Outcome {
    let (work, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    defer { withExtendedLifetime(work) {} }
    var policy = policy
    policy.commitInterval = policy.intervalAfterGathering
    let interval = max(policy.commitInterval, policy.firstRetry)
    let watch = LiveWatch(isWatched: { [broadcast] in broadcast.isWatched }) { [broadcast] readings in
      for event in GatewayEvent.live(readings) { broadcast.send(event) }
    }
    let ingestion = LiveIngestion(
      policy: policy, known: [:], signal, { [broadcast] in broadcast.send(.committed($0)) }, watch: watch,
      inbox: LiveInbox(sealed: inbox, store: nil)
    ) { _ in throw StorageError.locked }
    await ingestion.begin(beginning)
    _ = await ingestion.commit()
    let reading = Task { await read(into: ingestion) }
    let tasks = [
      Task { await follow() },
      Task {
        while !Task.isCancelled {
          try? await Task.sleep(for: interval)
          if !Task.isCancelled { _ = await ingestion.commit() }
        }
      },
    ]
    let isUnlocked = await untilUnlocked(ingestion, or: reading, or: stop)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    if isUnlocked {
      reading.cancel()
      _ = await reading.value
      _ = await ingestion.commit()
      return .unlocked(client)
    }
    // The central emits its last events while it stops.
    await client.stop()
    let failure = await reading.value
    await ingestion.end(at: SystemClocks.now().wall)
    _ = await ingestion.commit()
    let (tally, loss) = await ingestion.conclude()
    return .ended(tally, loss ?? failure)
  }

  /// - Returns: The central's error.
  private func read(into ingestion: LiveIngestion) async -> (any Error)? {
    do {
      for try await events in client.events() { await ingestion.receive(events) }
      return nil
    } catch {
      return error
    }
  }

  /// Follows the monitors that were paired with this machine, as soon as there are any.
  private func follow() async {
    while !Task.isCancelled {
      if let monitors = try? await trusted(), !monitors.isEmpty {
        broadcast.send(.enrolled(monitors))
        return await client.follow(monitors)
      }
      try? await Task.sleep(for: Self.retry)
    }
  }

  /// Waits until the store is unlocked and nothing is only in memory, the central ends, or `stop` finishes.
  /// - Returns: Whether the store is unlocked.
  private func untilUnlocked(
    _ ingestion: LiveIngestion, or reading: Task<(any Error)?, Never>, or stop: AsyncStream<Void>
  ) async -> Bool {
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    let watching = [
      Task {
        while !Task.isCancelled {
          if !inbox.isLocked, await ingestion.commit() != nil, await ingestion.isSealed {
            end.yield(true)
            return
          }
          try? await Task.sleep(for: Self.look)
        }
      },
      Task {
        _ = await reading.value
        end.yield(false)
      },
      Task {
        for await _ in stop {}
        end.yield(false)
      },
    ]
    defer { for task in watching { task.cancel() } }
    return await ends.first { _ in true } ?? false
  }
}
