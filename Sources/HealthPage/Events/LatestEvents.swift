import Synchronization

/// The pending events for one browser. Only the newest event of each kind is kept, so a slow reader skips old
/// events and needs no more memory.
final class LatestEvents: Sendable {
  struct Event: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable {
      case hello
      case monitors
      case commit
      case latest
      case pending
      case store
      /// A comment line without an event. Sending it detects closed connections.
      case breath
    }

    var kind: Kind
    /// JSON on one line.
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

  /// Waits for events and returns those since the last call, in order. Returns an empty array at the end.
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

extension LatestEvents.Event {
  /// The event in the format of an event stream. The data contains no line break, because JSON escapes them.
  var text: String {
    kind == .breath ? ": \n\n" : "event: \(kind.rawValue)\ndata: \(data)\n\n"
  }
}
