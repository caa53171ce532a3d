public import HealthKit
import HealthStorage
import Synchronization

/// Sends the changes of a health store to all of its destinations, with a task for each. A slow or failing
/// destination does not delay the others.
///
/// It also serves destinations that are added later, by any program, and drops removed ones. `run()` matches
/// the requirement of `Service` in swift-service-lifecycle.
public struct SyncFleet: Sendable {
  private let store: HKHealthStore
  private let policy: SyncPolicy
  private let clock: any Clock<Duration>
  private let makeStore: @Sendable (SyncDestination) -> any ExternalStore
  private let companion: @Sendable (SyncDestination) async -> Void
  private let troubled: @Sendable (ExternalStoreError?) -> Void
  private let listener: @Sendable (SyncDestination, SyncProgress) -> Void

  /// Minimum interval between checks for added and removed destinations, and the delay before a retry if the
  /// health store cannot be read.
  private static let pause = Duration.seconds(5)

  /// Creates a fleet.
  ///
  /// - Parameters:
  ///   - makeStore: Creates the external store of a destination. Called once for each destination.
  ///   - companion: Additional work for a destination. Its task is canceled when the destination is removed.
  ///   - troubled: Called with an error if the health store cannot list the destinations, and with `nil` when
  ///     it can again. It must not block.
  ///   - listener: Called on any thread when the progress of a destination changes. It must not block.
  public init(
    _ store: HKHealthStore, policy: SyncPolicy = SyncPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    makeStore: @escaping @Sendable (SyncDestination) -> any ExternalStore,
    beside companion: @escaping @Sendable (SyncDestination) async -> Void = { _ in },
    troubled: @escaping @Sendable (ExternalStoreError?) -> Void = { _ in },
    listener: @escaping @Sendable (SyncDestination, SyncProgress) -> Void
  ) {
    self.store = store
    self.policy = policy
    self.clock = clock
    self.makeStore = makeStore
    self.companion = companion
    self.troubled = troubled
    self.listener = listener
  }

  /// Runs until the task is canceled.
  ///
  /// - Parameter names: The names of the destinations to serve, or `nil` for all.
  /// - Throws: `CancellationError`; `HKError` if the handle may not list destinations.
  public func run(_ names: Set<String>? = nil) async throws {
    let commits = try store.syncLedger().commits(.low)
    let destinations = try SyncDestinations(store)
    let underWay = UnderWay()
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        for await _ in commits { wake.yield() }
        wake.finish()
      }
      wake.yield()
      for await _ in wakes {
        for listed in await list(destinations) where names?.contains(listed.destination.name) ?? true {
          guard underWay.begin(listed.id) else { continue }
          group.addTask {
            await serve(listed)
            underWay.end(listed.id)
          }
        }
        // Pause: each upload is recorded in the store, and that commit wakes this loop again.
        try await clock.sleep(for: Self.pause)
      }
      throw CancellationError()
    }
  }

  /// Returns the destinations. If the health store cannot be read, retries after a delay.
  private func list(_ destinations: SyncDestinations) async -> [ListedDestination] {
    var isTroubled = false
    while !Task.isCancelled {
      do {
        let all = try await destinations.listed()
        if isTroubled { troubled(nil) }
        return all
      } catch {
        if Task.isCancelled { break }
        isTroubled = true
        troubled(ExternalStoreError(explaining: error))
      }
      try? await clock.sleep(for: Self.pause)
    }
    return []
  }

  private func serve(_ listed: ListedDestination) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await companion(listed.destination) }
      await upload(to: listed)
      group.cancelAll()
    }
  }

  /// Sends changes until the destination is removed or the task is canceled.
  private func upload(to listed: ListedDestination) async {
    let destination = listed.destination
    let synchronizer = Synchronizer(
      destination.name, id: listed.id, of: store, to: makeStore(destination), policy: policy, clock: clock)
    while !Task.isCancelled {
      do {
        try await reportingProgress(destination, synchronizer) { try await synchronizer.run() }
      } catch is SyncDestinationError {
        return
      } catch {
        if Task.isCancelled { return }
        // The health store cannot be opened at the moment, so only report the error to the listener.
        var progress = SyncProgress()
        progress.state = .waiting(ExternalStoreError(explaining: error), pause: Self.pause)
        listener(destination, progress)
        try? await clock.sleep(for: Self.pause)
      }
    }
  }

  /// Runs `body` and reports its progress to the listener, including the final state.
  private func reportingProgress(
    _ destination: SyncDestination, _ synchronizer: Synchronizer, _ body: @Sendable () async throws -> Void
  ) async throws {
    let progress = synchronizer.progress()
    async let last = {
      var last = SyncProgress()
      for await update in progress where update.state != .ended {
        last = update
        listener(destination, update)
      }
      return last
    }()
    let result: Result<Void, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    // If the task was canceled, the stream ended without the final state.
    var end = await last
    end.state = .ended
    listener(destination, end)
    try result.get()
  }
}

/// The IDs of the destinations for which a task is running.
private final class UnderWay: Sendable {
  private let ids = Mutex<Set<Int64>>([])

  /// Adds a destination.
  ///
  /// - Returns: `false` if a task for it is already running.
  func begin(_ id: Int64) -> Bool { ids.withLock { $0.insert(id).inserted } }

  func end(_ id: Int64) { ids.withLock { _ = $0.remove(id) } }
}
