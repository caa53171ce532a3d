import Synchronization

/// What a browser is to be told next. Of each kind the newest alone is kept: a slow reader misses what is
/// old, and costs no more than a quick one.
final class EventMailbox: Sendable {
  struct Event: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable {
      case hello
      case monitors
      case commit
      case latest
      case pending
      case store
      /// Tells nobody anything, and finds out whether anybody is there.
      case breath
    }

    var kind: Kind
    /// A line of JSON.
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

  /// What has come since the last time, in order; waits for it. Empty at the end.
  ///
  /// For one reader.
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

extension EventMailbox.Event {
  /// As an event stream has it. The data has no line's end in it, since JSON escapes those.
  var text: String {
    kind == .breath ? ": \n\n" : "event: \(kind.rawValue)\ndata: \(data)\n\n"
  }
}
