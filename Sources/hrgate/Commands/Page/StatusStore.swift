import Channels
import Synchronization

/// The latest status of the gateway. It has one reader of the gateway for all clients of the page.
final class StatusStore: Sendable {
  private let latest = Mutex<GatewayStatus?>(nil)
  private let updates = Broadcast<Void>(newestOnly: true)

  /// `nil` if no gateway runs.
  var status: GatewayStatus? { latest.withLock(\.self) }

  /// Ticks when the status changes.
  func changes() -> AsyncStream<Void> { updates.stream() }

  func put(_ status: GatewayStatus?) {
    latest.withLock { $0 = status }
    updates.send()
  }
}
