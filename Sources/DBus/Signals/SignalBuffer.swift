internal import Synchronization

/// What stands between the bus, which does not wait, and one consumer. Holds so many events and counts the
/// signals that do not fit, in their place.
final class SignalBuffer: Sendable {
  private struct State {
    var events: [BusEvent?] = []
    /// Where the next event stands; those before it have been taken.
    var first = 0
    var isFinished = false
    var consumer: CheckedContinuation<BusEvent?, Never>?
    /// What the consumer wants to be called for while it waits.
    var listener: OctetsListener?

    var count: Int { events.count - first }

    mutating func take() -> BusEvent? {
      guard first < events.count else { return nil }
      let event = events[first]
      events[first] = nil
      first += 1
      // Moving the rest costs as much as has been taken since the last time.
      if first == events.count || first >= 1024 && first * 2 >= events.count {
        events.removeFirst(first)
        first = 0
      }
      return event
    }
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  func offer(_ signal: Signal) {
    hand { state in
      if state.count < capacity { .signal(signal) } else { nil }
    }
  }

  /// A consumer that waits for such octets, and has had all that came before, is called with them; it goes
  /// on waiting.
  func offer(_ change: RepeatedChange, _ octets: RawSpan, _ arrival: Arrival) {
    let listener = state.withLock { $0.consumer == nil ? nil : $0.listener }
    if let listener, listener.wants(change) {
      listener.receive(change.path, octets, arrival)
    } else {
      offer(Signal(change, octets, arrival))
    }
  }

  func lose() {
    hand { _ in nil }
  }

  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      defer { state.consumer = nil }
      return state.consumer
    }
    consumer?.resume(returning: nil)
  }

  /// The next event; nil at the end, after all that came before it, and when the task is cancelled.
  ///
  /// - Parameter listener: what is called on the loop's thread, while the consumer waits.
  func next(
    isolation: isolated (any Actor)? = #isolation, listener: OctetsListener? = nil
  ) async -> BusEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let event: BusEvent?? = state.withLock { state in
          if Task.isCancelled { return .some(nil) }
          if let event = state.take() { return .some(event) }
          if state.isFinished { return .some(nil) }
          precondition(state.consumer == nil, "a sequence of signals has one consumer")
          state.consumer = continuation
          state.listener = listener
          return nil
        }
        if let event { continuation.resume(returning: event) }
      }
    } onCancel: {
      finish()
    }
  }

  /// Passes an event to the consumer who waits, or keeps it. Nil stands for a signal that is lost.
  private func hand(_ event: (State) -> BusEvent?) {
    let waiting: (CheckedContinuation<BusEvent?, Never>, BusEvent)? = state.withLock { state in
      guard !state.isFinished else { return nil }
      let event = event(state) ?? .lost(1)
      if let consumer = state.consumer {
        state.consumer = nil
        return (consumer, event)
      }
      if case .lost = event, case .lost(let before)? = state.events.last {
        state.events[state.events.count - 1] = .lost(before + 1)
      } else {
        state.events.append(event)
      }
      return nil
    }
    if let (consumer, event) = waiting { consumer.resume(returning: event) }
  }
}
