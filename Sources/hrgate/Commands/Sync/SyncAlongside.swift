import Foundation
import Gateway
import HealthDataSync
import HealthSystem

/// Syncs to the destinations while a gateway runs.
///
/// Sync never blocks or ends the gateway: errors of a destination are reported as events.
struct SyncAlongside: Sendable {
  private let reporter: SyncReporter
  private let fleet: SyncFleet
  private let report: @Sendable (SyncUpdate) -> Void

  /// Creates a sync for a gateway.
  ///
  /// - Parameter report: Receives the state changes of the destinations.
  init(of gateway: HeartRateGateway, report: @escaping @Sendable (SyncUpdate) -> Void) {
    let reporter = SyncReporter(of: gateway.person)
    self.reporter = reporter
    self.report = report
    fleet = SyncFleet(
      gateway.registry.store.healthStore, makeStore: { DestinationStore($0) },
      beside: { destination in
        await LiveBroadcast(destination, of: gateway) {
          if let update = reporter.update(of: destination, live: $0) { report(update) }
        }?.run()
      },
      troubled: { if let update = reporter.update(ofAll: $0) { report(update) } }
    ) { destination, progress in
      if let update = reporter.update(of: destination, progress) { report(update) }
    }
  }

  /// Syncs until `body` returns.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await body()
        return true
      }
      group.addTask {
        do {
          try await fleet.run()
        } catch is CancellationError {
          // The gateway is shutting down.
        } catch {
          // The store belongs to another user or is unusable. Report it and keep the gateway running.
          if let update = reporter.update(ofAll: ExternalStoreError(explaining: error)) { report(update) }
        }
        return false
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
  }
}
