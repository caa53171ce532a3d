import Synchronization

/// Sends elements to any number of streams, without waiting for their readers.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var subscribers: [Int: AsyncStream<Element>.Continuation] = [:]
    var nextSubscriber = 0
  }

  private let isNewestOnly: Bool
  private let state = Mutex(State())

  /// - Parameter isNewestOnly: Whether a stream keeps only the newest unread element (for states and
  ///   wake-ups) instead of all of them.
  package init(newestOnly isNewestOnly: Bool) { self.isNewestOnly = isNewestOnly }

  deinit { finish() }

  package var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

  /// Returns a stream of the elements sent from now on.
  /// - Parameters:
  ///   - first: Elements with which the stream begins.
  ///   - ended: Called when the stream ends, because its reader has stopped or `finish` was called.
  package func stream(
    startingWith first: [Element] = [], ended: @escaping @Sendable () -> Void = {}
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: isNewestOnly ? .bufferingNewest(1) : .unbounded)
    for element in first { continuation.yield(element) }
    let number = state.withLock { state in
      state.nextSubscriber += 1
      state.subscribers[state.nextSubscriber] = continuation
      return state.nextSubscriber
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
      ended()
    }
    return stream
  }

  /// Sends an element to all streams. If the order of elements matters, do not call this concurrently.
  package func send(_ element: Element) {
    // Do not hold the lock here, because `onTermination` takes it.
    for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.yield(element) }
  }

  /// Ends all streams. Pending elements can still be read, and new streams can be created.
  package func finish() {
    let subscribers = state.withLock { state in
      defer { state.subscribers = [:] }
      return state.subscribers.values
    }
    for subscriber in subscribers { subscriber.finish() }
  }
}

extension Broadcast where Element == Void {
  /// Wakes up all readers.
  package func send() { send(()) }
}
