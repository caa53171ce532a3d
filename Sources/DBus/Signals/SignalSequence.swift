/// What a subscription gives.
public enum BusEvent: Sendable {
  case signal(Signal)
  /// So many signals had no room, or could not be read, between the events before and after this one.
  case lost(Int)
}

/// The signals of a subscription, in the order of their arrival, for one consumer. Ends with the connection,
/// after all that arrived before; `BusConnection.closingError` then says why. The subscription ends with
/// `cancel()`, with the cancellation of the task that iterates, or with the last reference.
public struct SignalSequence: AsyncSequence, Sendable {
  public typealias Element = BusEvent
  public typealias Failure = Never

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

    /// The next event. Until it comes, the listener is called with the octets that it wants, in their place
    /// among the events; they are no events then. It may be called for none, for some come as events.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation, listener: OctetsListener?
    ) async -> BusEvent? {
      await subscription.next(isolation: actor, listener: listener)
    }
  }
}

/// What the sequence and its iterators hold; with it the bus's rules go.
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
    isolation: isolated (any Actor)? = #isolation, listener: OctetsListener? = nil
  ) async -> BusEvent? {
    let event = await buffer.next(isolation: isolation, listener: listener)
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
