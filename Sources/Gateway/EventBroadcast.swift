import Bluetooth
import Channels
import Synchronization

/// Stores the current state of a gateway, or of those of several people, and sends events and states to all
/// subscribers without waiting for them.
final class EventBroadcast: Sendable {
  private enum Watcher: Sendable {
    case events(BoundedQueue<TimedGatewayEvent>)
    case updates(BoundedQueue<GatewayUpdate>)
    /// A subscriber to states. It is woken after each event, and then reads the current state.
    case states(AsyncStream<Void>.Continuation)
  }

  private struct State {
    var watchers: [Int: Watcher] = [:]
    var next = 0
    var gateway: GatewayState
    /// Whether an event was sent in this run.
    var hasBegun = false
    /// The final counts of the main gateway, which are sent last.
    var end: TimedGatewayEvent?
  }

  private let capacity: Int
  private let person: String?
  private let endsLast: Bool
  private let now: @Sendable () -> SystemClocks
  private let state: Mutex<State>

  /// - Parameters:
  ///   - capacity: Maximum number of pending events per subscriber. Beyond it, the oldest are dropped and
  ///     counted in ``GatewayEvent/missed(_:)``. The last event (the final counts of the run) is never
  ///     dropped.
  ///   - person: The person whose measurements the main gateway stores; `nil` for the user of this account.
  ///   - endsLast: Whether other gateways send events, too. The final counts of the main one are then held
  ///     until ``finish()``.
  ///   - now: Reads the clocks for the time of an event.
  init(
    capacity: Int = 1024, person: String? = nil, endsLast: Bool = false,
    now: @escaping @Sendable () -> SystemClocks = { .now() }
  ) {
    self.capacity = capacity
    self.person = person
    self.endsLast = endsLast
    self.now = now
    state = Mutex(State(gateway: GatewayState(of: person)))
  }

  var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

  /// Returns a stream of the events from now on.
  /// - Parameter transform: Converts an event to a stream element.
  func events<Element: Sendable>(
    _ transform: @escaping @Sendable (TimedGatewayEvent) -> Element
  ) -> AsyncStream<Element> {
    let queue = BoundedQueue<TimedGatewayEvent>(capacity: capacity) { count, first in
      TimedGatewayEvent(emitted: first.emitted, person: first.person, event: .missed(count))
    }
    return stream(.events(queue)) { await queue.next().map(transform) }
  }

  func updates() -> AsyncStream<GatewayUpdate> {
    let queue = BoundedQueue<GatewayUpdate>(capacity: capacity) { count, first in
      var update = first
      update.event.event = .missed(count)
      return update
    }
    return stream(.updates(queue)) { await queue.next() }
  }

  func states() -> AsyncStream<GatewayState> {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let states = stream(.states(wake)) { [self] in
      for await _ in wakes { return state.withLock(\.gateway) }
      return nil as GatewayState?
    }
    if state.withLock(\.hasBegun) { wake.yield() }
    return states
  }

  /// Creates a stream for a subscriber. Releasing the stream removes the subscriber, even if it has not read
  /// all events.
  private func stream<Element: Sendable>(
    _ watcher: Watcher, next: @escaping @Sendable () async -> Element?
  ) -> AsyncStream<Element> {
    let number = state.withLock { state in
      defer { state.next += 1 }
      state.watchers[state.next] = watcher
      return state.next
    }
    let watching = Watching { [weak self] in self?.remove(number) }
    return AsyncStream(unfolding: {
      defer { withExtendedLifetime(watching) {} }
      return await next()
    })
  }

  func send(_ event: GatewayEvent) { send(event, of: person) }

  func send(_ event: GatewayEvent, of person: String?) {
    state.withLock { state in
      // Read the clocks while holding the lock, so that times and events are in the same order.
      let event = TimedGatewayEvent(emitted: now(), person: person, event: event)
      if endsLast, person == self.person, case .ended = event.event { return state.end = event }
      send(event, &state)
    }
  }

  private func send(_ event: TimedGatewayEvent, _ state: inout State) {
    state.gateway.update(with: event)
    state.hasBegun = true
    for watcher in state.watchers.values {
      switch watcher {
      case .events(let queue): queue.append(event)
      case .updates(let queue): queue.append(GatewayUpdate(event: event, state: state.gateway))
      case .states(let wake): wake.yield()
      }
    }
  }

  /// Resets the state, because a new run begins.
  func begin() {
    state.withLock { state in
      state.gateway = GatewayState(of: person)
      state.hasBegun = false
    }
  }

  /// Ends all streams after their pending events.
  func finish() {
    let watchers = state.withLock { state in
      if let end = state.end.take() { send(end, &state) }
      defer { state.watchers.removeAll() }
      return state.watchers
    }
    for watcher in watchers.values {
      switch watcher {
      case .events(let queue): queue.finish()
      case .updates(let queue): queue.finish()
      case .states(let wake): wake.finish()
      }
    }
  }

  private func remove(_ number: Int) { state.withLock { $0.watchers[number] = nil } }
}

/// The events of one person's gateway in a broadcast.
struct EventSender: Sendable {
  let broadcast: EventBroadcast
  let person: String?

  var isWatched: Bool { broadcast.isWatched }

  func send(_ event: GatewayEvent) { broadcast.send(event, of: person) }
}

/// Removes a subscriber: calls `end` when the subscriber's stream releases this object.
private final class Watching: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
