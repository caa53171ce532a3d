import Foundation
import Gateway
import HealthDataSync
import HealthKit

/// Carries to the destinations beside a gateway, which it neither slows nor ends: whatever becomes of a
/// destination is news, and no error.
struct SyncAlongside: Sendable {
  /// Of the destinations, for one reader.
  let news: AsyncStream<SyncNews>
  private let told: AsyncStream<SyncNews>.Continuation
  private let desk = SyncNewsDesk()
  private let fleet: SyncFleet

  /// Few are kept for a reader that is behind: each says how a destination is now.
  private static let kept = 1000

  init(_ store: HKHealthStore, of gateway: HeartRateGateway) {
    let (news, told) = AsyncStream.makeStream(of: SyncNews.self, bufferingPolicy: .bufferingNewest(Self.kept))
    self.news = news
    self.told = told
    let desk = desk
    fleet = SyncFleet(
      store, makeStore: { DestinationStore($0) },
      beside: { destination in await LiveBroadcast(destination, of: gateway)?.run() },
      troubled: { if let news = desk.news(ofAll: $0) { told.yield(news) } }
    ) { destination, progress in
      if let news = desk.news(of: destination, progress) { told.yield(news) }
    }
  }

  /// Carries for as long as `body` runs.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    defer { told.finish() }
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
          if let news = desk.news(ofAll: ExternalStoreError(explaining: error)) { told.yield(news) }
        }
        return false
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
  }
}
