internal import Synchronization

/// An event of a subscription.
public enum BusEvent: Sendable {
  case signal(BusMessage)
  /// The number of signals dropped at this position, because the queue was full or they could not be decoded.
  case lost(Int)
}

/// The signals of a subscription in the order of their arrival, for one consumer. It ends when the connection
/// does, after the signals received until then; `BusConnection.closingError` has the reason. The subscription
/// ends with `cancel()`, when the iterating task is canceled, or when the sequence is released.
public struct SignalSequence: AsyncSequence, Sendable {
  public typealias Element = BusEvent
  public typealias Failure = Never

  /// A callback for the values of one property of type `ay`. It is called on the event loop's thread as soon
  /// as a value is read, and these signals do not appear in the sequence. Signals that also change other
  /// properties do.
  public struct BytesHandler: Sendable {
    /// The interface of the property.
    public var interface: String
    public var property: String
    /// Called with the object's path, the value and the time of arrival. Must not block.
    public var handle: @Sendable (ObjectPath, [UInt8], Arrival) -> Void

    public init(
      interface: String, property: String, handle: @escaping @Sendable (ObjectPath, [UInt8], Arrival) -> Void
    ) {
      self.interface = interface
      self.property = property
      self.handle = handle
    }
  }

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

    /// Returns the next event that `handler` does not accept. The handler is called in the order of the
    /// signals, but only while the consumer waits in this method; signals that arrived earlier are returned
    /// as events. For each signal, the handler saves a task switch and the conversion of the message.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation, handler: BytesHandler?
    ) async -> BusEvent? {
      await subscription.next(isolation: actor, handler: handler)
    }
  }
}

/// The subscription shared by a sequence and its iterators. Releasing it removes its match rules.
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
    isolation: isolated (any Actor)? = #isolation, handler: SignalSequence.BytesHandler? = nil
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

/// The queue between the connection and one consumer. The connection never waits: when the queue is full,
/// signals are dropped and counted.
final class SignalBuffer: Sendable {
  private struct State {
    var events: [BusEvent?] = []
    /// The index of the next event in `events`. Earlier events have been consumed.
    var first = 0
    var isFinished = false
    var consumer: CheckedContinuation<BusEvent?, Never>?
    /// The handler of the waiting consumer.
    var handler: SignalSequence.BytesHandler?

    var count: Int { events.count - first }

    mutating func take() -> BusEvent? {
      guard first < events.count else { return nil }
      let event = events[first]
      events[first] = nil
      first += 1
      // Removing consumed events moves the rest. To keep the cost small, do this only if at least half of the
      // events are consumed.
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

  /// Passes a signal to the handler of the waiting consumer.
  ///
  /// - Returns: Whether the handler accepted it.
  func handle(_ message: IncomingMessage, _ arrival: Arrival) -> Bool {
    guard let handler = state.withLock({ $0.consumer == nil ? nil : $0.handler }),
      let bytes = message.changedBytes(of: handler.interface, handler.property), let path = message.path
    else { return false }
    handler.handle(path, bytes, arrival)
    return true
  }

  func offer(_ signal: BusMessage) {
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

  /// Returns the next event; `nil` after the last one, or if the task is canceled.
  func next(
    isolation: isolated (any Actor)? = #isolation, handler: SignalSequence.BytesHandler? = nil
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

  /// Passes an event to the waiting consumer, or queues it. A `nil` event is a lost signal.
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
