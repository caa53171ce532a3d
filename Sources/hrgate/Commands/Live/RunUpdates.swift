import Foundation
import Gateway

/// An update of a running gateway, or of a part that runs beside it.
enum RunUpdates: Sendable {
  case gateway(GatewayUpdate)
  case sync(SyncUpdates)
  case metrics(MetricsUpdates)

  private var isGateways: Bool { if case .gateway = self { true } else { false } }

  /// Calls `body` with each update, one at a time, from the gateway's first update to its last.
  ///
  /// - Parameter others: The updates of the other parts.
  static func forEach(
    _ updates: AsyncStream<GatewayUpdate>, _ others: AsyncStream<RunUpdates>,
    _ body: (RunUpdates) throws -> Void
  ) async rethrows {
    let (all, told) = AsyncStream.makeStream(of: RunUpdates.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await update in updates { told.yield(.gateway(update)) }
        told.finish()
      }
      group.addTask { for await news in others { told.yield(news) } }
      defer { group.cancelAll() }
      // The gateway's first update is passed first, then the others' updates that arrived before it.
      var early: [RunUpdates]? = []
      for await news in all {
        if !news.isGateways, early != nil {
          early?.append(news)
          continue
        }
        try body(news)
        for news in early.take() ?? [] { try body(news) }
      }
    }
  }
}

extension AsyncStream {
  /// An empty stream.
  static var none: AsyncStream { AsyncStream { $0.finish() } }
}

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
