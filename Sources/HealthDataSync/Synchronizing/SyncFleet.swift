public import HealthKit
import HealthStorage
import Synchronization

/// The synchronizers of all destinations of a health store, each in its own task. A slow or failing
/// destination does not delay the others.
///
/// Destinations that any program adds later are included, and removed ones are dropped. The type has the
/// shape of a service in swift-service-lifecycle.
public struct SyncFleet: Sendable {
  private let store: HKHealthStore
  private let policy: SyncPolicy
  private let clock: any Clock<Duration>
  private let makeStore: @Sendable (SyncDestination) -> any ExternalStore
  private let companion: @Sendable (SyncDestination) async -> Void
  private let troubled: @Sendable (ExternalStoreError?) -> Void
  private let listener: @Sendable (SyncDestination, SyncProgress) -> Void

  /// Delay between checks for new destinations, and before a retry if the store cannot be used.
  private static let pause = Duration.seconds(5)

  /// Creates a fleet.
  ///
  /// - Parameters:
  ///   - makeStore: Creates the external store. It is called once for each destination.
  ///   - companion: Additional work for a destination. Its task is canceled when the destination is removed.
  ///   - troubled: Called with an error if the health store cannot list the destinations, and with `nil` when
  ///     it can again. It must not block.
  ///   - listener: Called for each change of a destination's progress, from any task. It must not block.
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
        // The fleet's own changes are commits too and would cause a wake-up each.
        try await clock.sleep(for: Self.pause)
      }
      throw CancellationError()
    }
  }

  /// Returns the destinations. If the store cannot be read, retries after a delay.
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
      await carry(to: listed)
      group.cancelAll()
    }
  }

  /// Sends changes until the destination is removed or the task is canceled.
  private func carry(to listed: ListedDestination) async {
    let destination = listed.destination
    let synchronizer = Synchronizer(
      destination.name, id: listed.id, of: store, to: makeStore(destination), policy: policy, clock: clock)
    while !Task.isCancelled {
      do {
        try await told(destination, synchronizer) { try await synchronizer.run() }
      } catch is SyncDestinationError {
        return
      } catch {
        if Task.isCancelled { return }
        // The health store cannot be used at the moment, so it cannot record the error.
        var progress = SyncProgress()
        progress.state = .waiting(ExternalStoreError(explaining: error), pause: Self.pause)
        listener(destination, progress)
        try? await clock.sleep(for: Self.pause)
      }
    }
  }

  /// Runs `body` and reports its progress, including the end.
  private func told(
    _ destination: SyncDestination, _ synchronizer: Synchronizer, _ body: @Sendable () async throws -> Void
  ) async throws {
    let progress = synchronizer.progress()
    async let last = {
      var last = SyncProgress()
      for await news in progress where news.state != .ended {
        last = news
        listener(destination, news)
      }
      return last
    }()
    let result: Result<Void, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    // A canceled task does not receive the end from the stream.
    var end = await last
    end.state = .ended
    listener(destination, end)
    try result.get()
  }
}

/// The destinations that are being served.
private final class UnderWay: Sendable {
  private let ids = Mutex<Set<Int64>>([])

  /// Adds a destination.
  ///
  /// - Returns: `false` if it is already being served.
  func begin(_ id: Int64) -> Bool { ids.withLock { $0.insert(id).inserted } }

  func end(_ id: Int64) { ids.withLock { _ = $0.remove(id) } }
}
