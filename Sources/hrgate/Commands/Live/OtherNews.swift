import Foundation

/// The state of the parts that work beside a running gateway.
struct OtherNews {
  /// Why the metrics file cannot be written.
  private(set) var metricsFailure: String?
  /// The sync destinations that fail, in the order of their names.
  private(set) var troubles: [SyncNews] = []

  mutating func update(with news: MetricsNews) { metricsFailure = news.failure }

  mutating func update(with news: SyncNews) {
    troubles.removeAll { $0.destination == news.destination && $0.person == news.person }
    guard news.state.isTrouble else { return }
    let index = troubles.firstIndex { $0.destination > news.destination } ?? troubles.endIndex
    troubles.insert(news, at: index)
  }
}
