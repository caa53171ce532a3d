import Foundation
import Gateway
import HealthDataSync
import HealthSystem

/// Carries to the destinations beside a gateway, which it neither slows nor ends: whatever becomes of a
/// destination is news, and no error.
struct SyncAlongside: Sendable {
  private let desk: SyncNewsDesk
  private let fleet: SyncFleet
  private let tell: @Sendable (SyncNews) -> Void

  /// - Parameter tell: Gets the news of the destinations.
  init(of gateway: HeartRateGateway, tell: @escaping @Sendable (SyncNews) -> Void) {
    let desk = SyncNewsDesk(of: gateway.person)
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

  /// Carries for as long as `body` runs.
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
          // At the end.
        } catch {
          // The store is none of the user's, or cannot be used at all.
          if let news = desk.news(ofAll: ExternalStoreError(explaining: error)) { tell(news) }
        }
        return false
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
  }
}
