public import HealthKit
import HealthStorage
import Synchronization

/// Carries a health store to all its destinations at once, each in a task of its own: one that is slow or
/// fails holds up none of the others.
///
/// Destinations that are added meanwhile, by any program, are taken up, and those that are removed are left.
/// It has the shape of a service of swift-service-lifecycle.
public struct SyncFleet: Sendable {
  private let store: HKHealthStore
  private let policy: SyncPolicy
  private let clock: any Clock<Duration>
  private let makeStore: @Sendable (SyncDestination) -> any ExternalStore
  private let companion: @Sendable (SyncDestination) async -> Void
  private let troubled: @Sendable (ExternalStoreError?) -> Void
  private let listener: @Sendable (SyncDestination, SyncProgress) -> Void

  /// Whoever adds a destination can wait so long; so long is waited too before a store that cannot be used is
  /// tried again.
  private static let pause = Duration.seconds(5)

  /// - Parameters:
  ///   - makeStore: called once for each destination that is taken up.
  ///   - companion: what else is done for a destination as long as it is there. Its task is cancelled then.
  ///   - troubled: told why the health store does not say which destinations there are, and with nil when it
  ///     does again. Must not wait either.
  ///   - listener: told whenever a destination's run is elsewhere. Called on any task, so it must not wait.
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

  /// Runs until the task is cancelled.
  /// - Parameter names: of the destinations that are carried to; nil for all.
  /// - Throws: `CancellationError`; `HKError` if the handle may not ask for destinations.
  public func run(_ names: Set<String>? = nil) async throws {
    let commits = try store.syncLedger().commits(.leisurely)
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
        // What is carried is committed too, and each commit wakes.
        try await clock.sleep(for: Self.pause)
      }
      throw CancellationError()
    }
  }

  /// Where the store cannot be asked, it is asked again after a pause.
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

  /// Until the destination is removed or the task is cancelled.
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
        // The health store cannot be used just now, and so cannot keep why.
        var progress = SyncProgress()
        progress.state = .waiting(ExternalStoreError(explaining: error), pause: Self.pause)
        listener(destination, progress)
        try? await clock.sleep(for: Self.pause)
      }
    }
  }

  /// Tells how far a run is, and in any case that it is over.
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
    // A task that is cancelled does not hear the end.
    var end = await last
    end.state = .ended
    listener(destination, end)
    try result.get()
  }
}

/// The destinations that are being served.
private final class UnderWay: Sendable {
  private let ids = Mutex<Set<Int64>>([])

  /// - Returns: false where it is already.
  func begin(_ id: Int64) -> Bool { ids.withLock { $0.insert(id).inserted } }

  func end(_ id: Int64) { ids.withLock { _ = $0.remove(id) } }
}
