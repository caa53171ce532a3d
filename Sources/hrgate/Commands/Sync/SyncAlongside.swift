import Foundation
import Gateway
import HealthDataSync
import HealthSystem

/// Syncs to the destinations while a gateway runs.
///
/// Sync never blocks or ends the gateway: errors of a destination are reported as events.
struct SyncAlongside: Sendable {
  private let desk: SyncReporter
  private let fleet: SyncFleet
  private let tell: @Sendable (SyncUpdates) -> Void

  /// Creates a sync for a gateway.
  ///
  /// - Parameter tell: Receives the state changes of the destinations.
  init(of gateway: HeartRateGateway, tell: @escaping @Sendable (SyncUpdates) -> Void) {
    let desk = SyncReporter(of: gateway.person)
    self.desk = desk
    self.tell = tell
    fleet = SyncFleet(
      gateway.registry.store.healthStore, makeStore: { DestinationStore($0) },
      beside: { destination in
        await LiveBroadcast(destination, of: gateway) {
          if let news = desk.news(of: destination, live: $0) { tell(news) }
        }?.run()
      },
      troubled: { if let news = desk.news(ofAll: $0) { tell(news) } }
    ) { destination, progress in
      if let news = desk.news(of: destination, progress) { tell(news) }
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
          if let news = desk.news(ofAll: ExternalStoreError(explaining: error)) { tell(news) }
        }
        return false
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
  }
}
