import BluetoothCentral
import Synchronization

/// Hands the events of a gateway to all who watch, without ever waiting for one of them.
final class EventBroadcast: Sendable {
  private struct State {
    var watchers: [Int: EventQueue] = [:]
    var next = 0
  }

  private let capacity: Int
  private let person: String?
  private let now: @Sendable () -> SystemClocks
  private let state = Mutex(State())

  /// - Parameters:
  ///   - capacity: How many events are kept for a watcher that is behind. Beyond that the oldest are dropped,
  ///     so the last event, the account of the run, always arrives; ``GatewayEvent/missed(_:)`` counts them.
  ///   - person: Whom the events are about; `nil` for the owner.
  ///   - now: The time at which an event is told.
  init(
    capacity: Int = 1024, person: String? = nil, now: @escaping @Sendable () -> SystemClocks = { .now() }
  ) {
    self.capacity = capacity
    self.person = person
    self.now = now
  }

  /// Somebody watches: what is told is heard.
  var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

  /// - Parameter transform: Makes of an event what the stream gives.
  func stream<Element: Sendable>(
    _ transform: @escaping @Sendable (TimedGatewayEvent) -> Element
  ) -> AsyncStream<Element> {
    let queue = EventQueue(capacity: capacity)
    let number = state.withLock { state in
      defer { state.next += 1 }
      state.watchers[state.next] = queue
      return state.next
    }
    // It goes with the stream, whether that was read to its end or not.
    let watching = Watching { [weak self] in self?.remove(number) }
    return AsyncStream(unfolding: {
      defer { withExtendedLifetime(watching) {} }
      return await queue.next().map(transform)
    })
  }

  func send(_ event: GatewayEvent) {
    state.withLock { state in
      guard !state.watchers.isEmpty else { return }
      // In the lock, so that the times are in the order of the events.
      let event = TimedGatewayEvent(told: now(), person: person, event: event)
      for watcher in state.watchers.values { watcher.append(event) }
    }
  }

  /// Passes on what another gateway told.
  func relay(_ event: TimedGatewayEvent) {
    state.withLock { state in
      for watcher in state.watchers.values { watcher.append(event) }
    }
  }

  func finish() {
    let watchers = state.withLock { state in
      defer { state.watchers.removeAll() }
      return state.watchers
    }
    for watcher in watchers.values { watcher.finish() }
  }

  private func remove(_ number: Int) { state.withLock { $0.watchers[number] = nil } }
}

/// As long as it lives, somebody watches.
private final class Watching: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
