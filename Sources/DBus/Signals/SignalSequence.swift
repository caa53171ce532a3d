internal import Synchronization

/// An event of a subscription.
public enum BusEvent: Sendable {
  case signal(BusMessage)
  /// The number of signals that had no room, or could not be read, between the events before and after this
  /// one.
  case lost(Int)
}

/// The signals of a subscription, in the order of their arrival, for one consumer. Ends with the connection,
/// after everything received before; `BusConnection.closingError` then says why. The subscription ends with
/// `cancel()`, with the cancellation of the task that iterates, or with the last reference.
public struct SignalSequence: AsyncSequence, Sendable {
  public typealias Element = BusEvent
  public typealias Failure = Never

  /// Takes a signal at once, on the loop's thread. It must not block. Returns false to leave the signal to
  /// the sequence.
  public typealias Handler = @Sendable (BusMessage) -> Bool

  let subscription: Subscription

  /// Ends the subscription and the iteration.
  public func cancel() {
    subscription.cancel()
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: subscription)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription

    public mutating func next() async -> BusEvent? {
      await subscription.next()
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> BusEvent? {
      await subscription.next(isolation: actor)
    }

    /// The next event that the handler does not take. The handler is called in the order of the signals, and
    /// only while the consumer waits: signals that came before `next` are events. It saves the consumer a
    /// task switch for each signal.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation, handler: Handler?
    ) async -> BusEvent? {
      await subscription.next(isolation: actor, handler: handler)
    }
  }
}

/// The state shared by a sequence and its iterators. The match rules are removed with it.
final class Subscription: Sendable {
  private let connection: BusConnection
  private let id: UInt64
  private let buffer: SignalBuffer

  init(connection: BusConnection, id: UInt64, buffer: SignalBuffer) {
    self.connection = connection
    self.id = id
    self.buffer = buffer
  }

  deinit {
    cancel()
  }

  func next(
    isolation: isolated (any Actor)? = #isolation, handler: SignalSequence.Handler? = nil
  ) async -> BusEvent? {
    let event = await buffer.next(isolation: isolation, handler: handler)
    if event == nil { cancel() }
    return event
  }

  func cancel() {
    buffer.finish()
    connection.loop.thread.perform { [connection, id] in
      connection.assumeIsolated { $0.unsubscribe(id) }
    }
  }
}

/// The queue between the bus, which does not wait, and one consumer. Holds a limited number of events, and
/// counts the signals that do not fit, in their place.
final class SignalBuffer: Sendable {
  private struct State {
    var events: [BusEvent?] = []
    /// The index of the next event; those before it have been taken.
    var first = 0
    var isFinished = false
    var consumer: CheckedContinuation<BusEvent?, Never>?
    /// The handler of the consumer that waits.
    var handler: SignalSequence.Handler?

    var count: Int { events.count - first }

    mutating func take() -> BusEvent? {
      guard first < events.count else { return nil }
      let event = events[first]
      events[first] = nil
      first += 1
      // Moving the rest costs as much as what has been taken since the last time.
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

  func offer(_ signal: BusMessage) {
    if let handler = state.withLock({ $0.consumer == nil ? nil : $0.handler }), handler(signal) { return }
    deliver { state in
      if state.count < capacity { .signal(signal) } else { nil }
    }
  }

  /// Counts a signal as lost.
  func lose() {
    deliver { _ in nil }
  }

  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      defer { state.consumer = nil }
      return state.consumer
    }
    consumer?.resume(returning: nil)
  }

  /// The next event; nil at the end, after all events before it, and if the task is cancelled.
  func next(
    isolation: isolated (any Actor)? = #isolation, handler: SignalSequence.Handler? = nil
  ) async -> BusEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let event: BusEvent?? = state.withLock { state in
          if Task.isCancelled { return .some(nil) }
          if let event = state.take() { return .some(event) }
          if state.isFinished { return .some(nil) }
          precondition(state.consumer == nil, "a sequence of signals has one consumer")
          state.consumer = continuation
          state.handler = handler
          return nil
        }
        if let event { continuation.resume(returning: event) }
      }
    } onCancel: {
      finish()
    }
  }

  /// Passes an event to the consumer if it waits, or keeps it. Nil stands for a lost signal.
  private func deliver(_ event: (State) -> BusEvent?) {
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
