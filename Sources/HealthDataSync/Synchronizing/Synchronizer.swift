public import HealthKit
import HealthStorage
import Synchronization

/// Carries a health store to an external store: what is there, and what happens from then on, by this program
/// or another.
///
/// Everything goes over at least once, and what goes over again is the same for an external store: what it
/// holds in the end is what the health store holds, but for what it refuses. How far it is, is saved in the
/// health store after each page, so that any end of the program does no harm.
///
/// It has the shape of a service of swift-service-lifecycle.
public final class Synchronizer: Sendable {
  /// Of the destination.
  public let name: String
  /// Of the destination that was listed; nil: of whatever is called so when a run begins.
  private let id: Int64?
  private let store: HKHealthStore
  private let external: any ExternalStore
  private let policy: SyncPolicy
  private let clock: any Clock<Duration>
  private let generator: any RandomNumberGenerator & Sendable
  private let board = ProgressBoard()

  /// - Parameters:
  ///   - name: of a destination in `SyncDestinations(store)`, which says what goes over.
  ///   - external: used by this synchroniser alone.
  ///   - clock: by which it waits.
  ///   - generator: of the jitter of its pauses.
  public convenience init(
    _ name: String, of store: HKHealthStore, to external: any ExternalStore,
    policy: SyncPolicy = SyncPolicy(),
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.init(name, id: nil, of: store, to: external, policy: policy, clock: clock, generator: generator)
  }

  /// - Parameter id: of the destination: one that is added later under its name, perhaps with another
  ///   address, is another.
  init(
    _ name: String, id: Int64?, of store: HKHealthStore, to external: any ExternalStore, policy: SyncPolicy,
    clock: any Clock<Duration>,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.name = name
    self.id = id
    self.store = store
    self.external = external
    self.policy = policy
    self.clock = clock
    self.generator = generator
  }

  /// Carries everything, and goes on until the task is cancelled. After a failure it waits and tries again,
  /// as long as it takes; while another process carries to the destination it waits for that one to end.
  /// - Throws: `SyncDestinationError.unknown` if there is no such destination, or none any more; `HKError` if
  ///   the health store cannot be opened; `CancellationError`.
  public func run() async throws {
    try await perform(follows: true)
  }

  /// Carries everything that is there, and returns.
  /// - Throws: `SyncDestinationError`: `unknown`; `running` if another process carries to the destination.
  ///   `ExternalStoreError` if somebody has to act, or if several attempts in a row have failed; `HKError`;
  ///   `CancellationError`.
  public func runOnce() async throws {
    try await perform(follows: false)
  }

  /// How far the run is, whenever that changes, beginning with now. It ends with the run.
  public func progress() -> AsyncStream<SyncProgress> { board.stream() }

  private func perform(follows: Bool) async throws {
    board.begin()
    defer { board.end() }
    let ledger = try store.syncLedger()
    let destination = try await HKError.translating { try await ledger.destination(named: name) }
    guard let destination, id == nil || id == destination.id else {
      throw SyncDestinationError.unknown(name)
    }
    let lease = try await lease(destination, in: ledger, waits: follows)
    let carrier = PageCarrier(store, to: external, destination, ledger)
    let context = RunContext(
      destination: destination, ledger: ledger, carrier: carrier, policy: policy, clock: clock, board: board,
      follows: follows)
    var run = SyncRun(context: context, generator: generator)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await run.perform())
    } catch {
      outcome = .failure(error)
    }
    await carrier.close()
    withExtendedLifetime(lease) {}
    try outcome.get()
  }

  private func lease(
    _ destination: SyncDestinationRecord, in ledger: SyncLedger, waits: Bool
  ) async throws -> SyncLease {
    while true {
      do {
        return try ledger.lease(of: destination)
      } catch StorageFailure.destinationRuns(let name, let process) {
        guard waits else { throw SyncDestinationError.running(name, process: process) }
        board.update { $0.state = .elsewhere(process: process) }
        try await clock.sleep(for: policy.leaseInterval)
        let known = try await HKError.translating { try await ledger.destination(named: name) }
        guard known?.id == destination.id else { throw SyncDestinationError.unknown(name) }
      } catch {
        throw HKError(.errorDatabaseInaccessible, reason: "\(error)")
      }
    }
  }
}
