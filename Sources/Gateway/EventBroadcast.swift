import Synchronization

/// Hands the events of a gateway to all who watch, without ever waiting for one of them.
final class EventBroadcast: Sendable {
  private typealias Watcher = AsyncStream<GatewayEvent>.Continuation

  private struct State {
    var watchers: [Int: Watcher] = [:]
    var next = 0
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// - Parameter capacity: How many events are kept for a watcher that is behind. Beyond that the oldest are
  ///   dropped, so the last event, the account of the run, always arrives.
  init(capacity: Int = 1024) { self.capacity = capacity }

  func stream() -> AsyncStream<GatewayEvent> {
    let (stream, watcher) = AsyncStream.makeStream(
      of: GatewayEvent.self, bufferingPolicy: .bufferingNewest(capacity))
    let number = state.withLock { state in
      defer { state.next += 1 }
      state.watchers[state.next] = watcher
      return state.next
    }
    watcher.onTermination = { [weak self] _ in self?.remove(number) }
    return stream
  }

  func send(_ event: GatewayEvent) {
    state.withLock { state in
      for watcher in state.watchers.values { watcher.yield(event) }
    }
  }

  func finish() {
    let watchers = state.withLock { state in
      defer { state.watchers.removeAll() }
      return state.watchers
    }
    // Outside the lock: each one's termination takes it.
    for watcher in watchers.values { watcher.finish() }
  }

  private func remove(_ number: Int) { state.withLock { $0.watchers[number] = nil } }
}
