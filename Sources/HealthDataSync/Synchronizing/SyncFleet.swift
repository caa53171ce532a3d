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
  private let listener: @Sendable (SyncDestination, SyncProgress) -> Void

  /// Whoever adds a destination can wait so long; so long is waited too before a store that cannot be used is
  /// tried again.
  private static let pause = Duration.seconds(5)

  /// - Parameters:
  ///   - makeStore: called once for each destination that is taken up.
  ///   - companion: what else is done for a destination as long as it is there. Its task is cancelled then.
  ///   - listener: told whenever a destination's run is elsewhere. Called on any task, so it must not wait.
  public init(
    _ store: HKHealthStore, policy: SyncPolicy = SyncPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    makeStore: @escaping @Sendable (SyncDestination) -> any ExternalStore,
    beside companion: @escaping @Sendable (SyncDestination) async -> Void = { _ in },
    listener: @escaping @Sendable (SyncDestination, SyncProgress) -> Void
  ) {
    self.store = store
    self.policy = policy
    self.clock = clock
    self.makeStore = makeStore
    self.companion = companion
    self.listener = listener
  }

  /// Runs until the task is cancelled.
  /// - Parameter names: of the destinations that are carried to; nil for all.
  /// - Throws: `CancellationError`; `HKError` if the handle may not ask for destinations.
  public func run(_ names: Set<String>? = nil) async throws {
    let commits = try store.syncLedger().commits()
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
        let all = await list(destinations)
        for destination in all where names?.contains(destination.name) ?? true {
          guard underWay.begin(destination.name) else { continue }
          group.addTask {
            await serve(destination)
            underWay.end(destination.name)
            // It may have been added anew before this was known to be over.
            wake.yield()
          }
        }
        // What is carried is committed too, and each commit wakes.
        try await clock.sleep(for: Self.pause)
      }
      throw CancellationError()
    }
  }

  /// Where the store cannot be asked, it is asked again at the next commit or after a pause.
  private func list(_ destinations: SyncDestinations) async -> [SyncDestination] {
    while !Task.isCancelled {
      if let all = try? await destinations.list() { return all }
      try? await clock.sleep(for: Self.pause)
    }
    return []
  }

  private func serve(_ destination: SyncDestination) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await companion(destination) }
      await carry(to: destination)
      group.cancelAll()
    }
  }

  /// Until the destination is removed or the task is cancelled.
  private func carry(to destination: SyncDestination) async {
    let synchronizer = Synchronizer(
      destination.name, of: store, to: makeStore(destination), policy: policy, clock: clock)
    while !Task.isCancelled {
      do {
        try await told(destination, synchronizer) { try await synchronizer.run() }
      } catch is SyncDestinationError {
        return
      } catch {
        // The health store cannot be used just now; or it is over.
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

/// The names of the destinations that are being served.
private final class UnderWay: Sendable {
  private let names = Mutex<Set<String>>([])

  /// - Returns: false where it is already.
  func begin(_ name: String) -> Bool { names.withLock { $0.insert(name).inserted } }

  func end(_ name: String) { names.withLock { _ = $0.remove(name) } }
}
