import Synchronization

/// What takes a turn when a running gateway is asked to: each of its parts that could hang.
final class GatewayTurns: Sendable {
  private let parts = Mutex<[@Sendable () async -> Void]>([])
  /// Whether there are monitors whose measurements depend on it.
  let hasMonitors = Mutex(false)

  func add(_ part: @escaping @Sendable () async -> Void) { parts.withLock { $0.append(part) } }

  func removeAll() { parts.withLock { $0.removeAll() } }

  /// One part after the other.
  /// - Returns: Whether there were any.
  func take() async -> Bool {
    let parts = parts.withLock(\.self)
    for part in parts { await part() }
    return !parts.isEmpty
  }
}
