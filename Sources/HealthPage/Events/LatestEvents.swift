import Synchronization

/// The pending events for one browser. Only the newest event of each kind is kept, so a slow reader skips old
/// events and memory use stays constant.
final class LatestEvents: Sendable {
  struct Event: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable {
      case hello
      case monitors
      case commit
      case latest
      case pending
      case store
      /// A keep-alive: a comment line that the browser ignores. Sending it detects a closed connection.
      case breath
    }

    var kind: Kind
    /// The data of the event: JSON on one line.
    var data: String
  }

  private let waiting = Mutex<[Event]>([])
  private let ticks: AsyncStream<Void>
  private let tick: AsyncStream<Void>.Continuation

  init() { (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func put(_ event: Event) {
    waiting.withLock { waiting in
      waiting.removeAll { $0.kind == event.kind }
      waiting.append(event)
    }
    tick.yield()
  }

  /// Waits for events, and returns those added since the last call, in order. Returns an empty array at the
  /// end.
  ///
  /// Only one task may call it.
  func next() async -> [Event] {
    for await _ in ticks {
      let events = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      if !events.isEmpty { return events }
    }
    return []
  }

  func end() { tick.finish() }
}

extension LatestEvents.Event {
  /// The event in the format of server-sent events. The data has no line breaks, because JSON escapes them.
  var text: String {
    kind == .breath ? ": \n\n" : "event: \(kind.rawValue)\ndata: \(data)\n\n"
  }
}
