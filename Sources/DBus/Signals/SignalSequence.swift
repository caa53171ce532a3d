internal import Synchronization

/// An event of a subscription.
public enum BusEvent: Sendable {
  case signal(BusMessage)
  /// The number of signals between the neighboring events that did not fit, or could not be decoded.
  case lost(Int)
}

/// The signals of a subscription in the order of their arrival, for one consumer. Ends with the connection,
/// after everything received before; `BusConnection.closingError` has the reason. The subscription ends with
/// `cancel()`, with the cancellation of the task that iterates, or with the last reference.
public struct SignalSequence: AsyncSequence, Sendable {
  public typealias Element = BusEvent
  public typealias Failure = Never

  /// Receives the values of a property of the type `ay` on the loop's thread, as soon as they are read. The
  /// sequence does not contain these signals then. Signals with any other change remain in the sequence.
  public struct BytesHandler: Sendable {
    /// The interface of the property.
    public var interface: String
    public var property: String
    /// Must not block.
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

    /// Returns the next event that the handler does not take. The handler is called in the order of the
    /// signals, and only while the consumer waits: signals that arrived before `next` are events. The handler
    /// saves a task switch and the conversion of the message for each signal.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation, handler: BytesHandler?
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

/// The queue between the bus, which does not wait, and one consumer. It holds a limited number of events, and
/// counts signals that do not fit, in their place.
final class SignalBuffer: Sendable {
  private struct State {
    var events: [BusEvent?] = []
    /// The index of the next event. Earlier ones have been consumed.
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
      // Moving the rest costs as much as consuming the events since the last move.
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
  /// - Returns: Whether the handler took it.
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

  /// Returns the next event; nil at the end, after all pending events, and if the task is canceled.
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

  /// Passes an event to the consumer if it waits, or queues it. Nil stands for a lost signal.
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
