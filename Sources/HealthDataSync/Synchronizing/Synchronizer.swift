public import HealthKit
import HealthStorage
import Synchronization

/// Sends the changes of a health store to an external store: first the existing samples, then every change
/// that any program makes.
///
/// Each change is sent at least once, and sending it again has no effect. The external store therefore ends
/// up with the same data as the health store, except for records that it rejects. The position in the change
/// log is saved in the health store after each page of changes, so the program can exit at any time.
///
/// ```swift
/// let synchronizer = Synchronizer("lab", of: store, to: myExternalStore)
/// try await synchronizer.runOnce()
/// ```
///
/// `run()` matches the requirement of `Service` in swift-service-lifecycle.
public final class Synchronizer: Sendable {
  /// The name of the destination.
  public let name: String
  /// The ID of the destination, or `nil` to use whichever destination has the name when a run starts.
  private let id: Int64?
  private let store: HKHealthStore
  private let external: any ExternalStore
  private let policy: SyncPolicy
  private let clock: any Clock<Duration>
  private let generator: any RandomNumberGenerator & Sendable
  private let progressStore = ProgressStore()

  /// Creates a synchronizer.
  ///
  /// - Parameters:
  ///   - name: The name of a destination in `SyncDestinations(store)`, which determines which samples are
  ///     sent.
  ///   - external: The external store. Only this synchronizer may use it.
  ///   - clock: The clock for all delays.
  ///   - generator: The random number generator for the jitter of delays.
  public convenience init(
    _ name: String, of store: HKHealthStore, to external: any ExternalStore,
    policy: SyncPolicy = SyncPolicy(),
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.init(name, id: nil, of: store, to: external, policy: policy, clock: clock, generator: generator)
  }

  /// Creates a synchronizer for one specific destination.
  ///
  /// - Parameter id: The ID of the destination. A destination added later under the same name has a different
  ///   ID, and possibly a different address.
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

  /// Sends all changes, then new ones, until the task is canceled. After an error it waits and retries,
  /// without limit. While another process sends to the destination, it waits for that process to end.
  ///
  /// - Throws: `SyncDestinationError.unknown` if the destination does not exist or is removed; `HKError` if
  ///   the health store cannot be opened; `CancellationError`.
  public func run() async throws {
    try await perform(follows: true)
  }

  /// Sends all pending changes and returns.
  ///
  /// - Throws: `SyncDestinationError`: `unknown`; `running` if another process sends to the destination.
  ///   `ExternalStoreError` if the user must act or several consecutive attempts failed; `HKError`;
  ///   `CancellationError`.
  public func runOnce() async throws {
    try await perform(follows: false)
  }

  /// Returns a stream of the progress, starting with the current value. It ends with the run.
  public func progress() -> AsyncStream<SyncProgress> { progressStore.stream() }

  private func perform(follows: Bool) async throws {
    progressStore.begin()
    defer { progressStore.end() }
    let ledger = try store.syncLedger()
    let destination = try await HKError.translating { try await ledger.destination(named: name) }
    guard let destination, id == nil || id == destination.id else {
      throw SyncDestinationError.unknown(name)
    }
    let lease = try await lease(destination, in: ledger, waits: follows)
    let uploader = PageUploader(store, to: external, destination, ledger)
    let context = RunContext(
      destination: destination, ledger: ledger, uploader: uploader, policy: policy, clock: clock,
      progressStore: progressStore,
      follows: follows)
    var run = SyncRun(context: context, generator: generator)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await run.perform())
    } catch {
      outcome = .failure(error)
    }
    await uploader.close()
    // The lease keeps other processes from sending to the destination until this object is freed. Keep it
    // until the external store is closed.
    withExtendedLifetime(lease) {}
    try outcome.get()
  }

  private func lease(
    _ destination: SyncDestinationRecord, in ledger: SyncLedger, waits: Bool
  ) async throws -> SyncLease {
    while true {
      do {
        return try ledger.lease(of: destination)
      } catch StorageError.destinationRuns(let name, let process) {
        guard waits else { throw SyncDestinationError.running(name, process: process) }
        progressStore.update { $0.state = .elsewhere(process: process) }
        try await clock.sleep(for: policy.leaseInterval)
        // While this process waited, the destination may have been removed and another one added under its
        // name.
        let known = try await HKError.translating { try await ledger.destination(named: name) }
        guard known?.id == destination.id else { throw SyncDestinationError.unknown(name) }
      } catch {
        throw HKError(.errorDatabaseInaccessible, reason: "\(error)")
      }
    }
  }
}
