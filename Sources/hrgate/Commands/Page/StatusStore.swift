import Channels
import Synchronization

/// The latest status of the gateway. All clients of the page share it, so that D-Bus is read only once.
final class StatusStore: Sendable {
  private let latest = Mutex<GatewayStatus?>(nil)
  private let updates = Broadcast<Void>(newestOnly: true)

  /// The latest status of the gateway; `nil` if no gateway runs.
  var status: GatewayStatus? { latest.withLock(\.self) }

  /// Returns a stream with an element after each change of the status.
  func changes() -> AsyncStream<Void> { updates.stream() }

  func put(_ status: GatewayStatus?) {
    latest.withLock { $0 = status }
    updates.send()
  }
}
