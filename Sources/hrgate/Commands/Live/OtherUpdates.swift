import Foundation

/// The state of the parts that run beside a gateway: metrics file and sync destinations.
struct OtherUpdates {
  /// The error of the metrics file.
  private(set) var metricsFailure: String?
  /// The failing sync destinations, sorted by name.
  private(set) var troubles: [SyncUpdates] = []

  mutating func update(with news: MetricsUpdates) { metricsFailure = news.failure }

  mutating func update(with news: SyncUpdates) {
    troubles.removeAll { $0.destination == news.destination && $0.person == news.person }
    guard news.state.isTrouble else { return }
    let index = troubles.firstIndex { $0.destination > news.destination } ?? troubles.endIndex
    troubles.insert(news, at: index)
  }
}
