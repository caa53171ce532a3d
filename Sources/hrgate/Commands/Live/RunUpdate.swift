import Foundation
import Gateway

/// An update of a running gateway, or of a part that runs beside it.
enum RunUpdate: Sendable {
  case gateway(GatewayUpdate)
  case sync(SyncUpdate)
  case metrics(MetricsUpdate)

  private var isGateways: Bool { if case .gateway = self { true } else { false } }

  /// Calls `body` with each update, one at a time, from the gateway's first update to its last.
  ///
  /// - Parameter others: The updates of the parts that run beside the gateway: metrics file and sync
  ///   destinations.
  static func forEach(
    _ updates: AsyncStream<GatewayUpdate>, _ others: AsyncStream<RunUpdate>,
    _ body: (RunUpdate) throws -> Void
  ) async rethrows {
    let (all, continuation) = AsyncStream.makeStream(of: RunUpdate.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await update in updates { continuation.yield(.gateway(update)) }
        continuation.finish()
      }
      group.addTask { for await update in others { continuation.yield(update) } }
      defer { group.cancelAll() }
      // Pass the gateway's first update first. Updates of the metrics file and sync destinations that arrived
      // before it follow.
      var early: [RunUpdate]? = []
      for await update in all {
        if !update.isGateways, early != nil {
          early?.append(update)
          continue
        }
        try body(update)
        for update in early.take() ?? [] { try body(update) }
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
  private(set) var troubles: [SyncUpdate] = []

  mutating func update(with update: MetricsUpdate) { metricsFailure = update.failure }

  mutating func update(with update: SyncUpdate) {
    troubles.removeAll { $0.destination == update.destination && $0.person == update.person }
    guard update.state.isTrouble else { return }
    let index = troubles.firstIndex { $0.destination > update.destination } ?? troubles.endIndex
    troubles.insert(update, at: index)
  }
}
