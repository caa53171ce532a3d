import Bluetooth
import HealthStorage
import Ingestion

/// A gateway for a locked store. It encrypts measurements with the store's public key and appends them to the
/// inbox of the store.
///
/// The list of enrolled monitors is in the locked store, so this gateway follows all monitors that were
/// paired with this machine. When the inbox is merged, measurements of monitors that are not enrolled are
/// counted and dropped.
struct LockedGateway: Sendable {
  enum Outcome: Sendable {
    /// The store was unlocked. The next gateway takes over this client of the shared central, including its
    /// unread events.
    case unlocked(Client)
    /// The central has ended, or the task was canceled. Contains the counts, and the error if measurements
    /// could not be written to the inbox or if the central failed.
    case ended(IngestionTally, (any Error)?)
  }

  /// The interval between checks whether the store is unlocked.
  private static let look = Duration.seconds(1)
  /// The delay before the list of paired monitors is read again, if reading failed or the list was empty.
  private static let retry = Duration.seconds(5)

  let inbox: SealedInbox
  let client: Client
  let policy: LivePolicy
  let broadcast: EventBroadcast
  let trusted: @Sendable () async throws -> [EnrolledMonitor]

  /// Records measurements until the store is unlocked, `stop` finishes, or the central ends.
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
      let (tally, loss) = await ingestion.conclude()
      guard let loss else { return .unlocked(client) }
      await client.stop()
      return .ended(tally, loss)
    }
    // The central emits its last events while it stops.
    await client.stop()
    let failure = await reading.value
    await ingestion.end(at: SystemClocks.now().wall)
    _ = await ingestion.commit()
    let (tally, loss) = await ingestion.conclude()
    return .ended(tally, loss ?? failure)
  }

  /// Processes the central's events until it ends.
  /// - Returns: The error that ended the central, if any.
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

  /// Waits until the store is unlocked and all events are in the inbox, or until the central ends or `stop`
  /// finishes.
  /// - Returns: Whether the store is unlocked and the inbox is complete.
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
