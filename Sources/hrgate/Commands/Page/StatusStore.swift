import Channels
import Synchronization

/// The latest status of the gateway. All clients of the page share it, so that D-Bus is read only once.
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
