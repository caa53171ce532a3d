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
  private let fleet: SyncFleet

  /// Few are kept for a reader that is behind: each says how a destination is now.
  private static let kept = 1000

  init(_ store: HKHealthStore, of gateway: HeartRateGateway) {
    let (news, told) = AsyncStream.makeStream(of: SyncNews.self, bufferingPolicy: .bufferingNewest(Self.kept))
    self.news = news
    self.told = told
    let desk = SyncNewsDesk()
    fleet = SyncFleet(
      store, makeStore: { DestinationStore($0) },
      beside: { destination in await LiveBroadcast(destination, of: gateway)?.run() }
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
        // Cancelled at the end, and else only where the store is none of the user's, which the gateway says.
        try? await fleet.run()
        return false
      }
      defer { group.cancelAll() }
      while try await group.next() == false {}
    }
  }
}
