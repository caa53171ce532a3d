import Channels
import Dispatch
import Synchronization

/// Writes entries to the journal on its own thread, so that a slow journald does not block the caller.
/// If too many entries are pending, the oldest are dropped, and an entry that counts them replaces them.
final class JournalOutput: Sendable {
  private struct State {
    var backlog: BoundedBuffer<JournalEntry>
    /// Whether a `drain()` is scheduled or running.
    var isWriting = false
    /// Number of entries that `drain()` is writing now.
    var underWay = 0
  }

  private let put: @Sendable (JournalEntry) -> Bool
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "org.hrgate.journal")

  convenience init(to journal: Journal) { self.init { journal.write($0) } }

  /// - Parameters:
  ///   - capacity: Maximum number of pending entries.
  ///   - put: Writes an entry to the journal; returns whether the journal accepted it.
  init(capacity: Int = 1000, _ put: @escaping @Sendable (JournalEntry) -> Bool) {
    self.put = put
    state = Mutex(State(backlog: BoundedBuffer(capacity: capacity)))
  }

  /// Adds an entry and returns immediately.
  func write(_ entry: JournalEntry) {
    let isToStart = state.withLock { state in
      state.backlog.append(entry)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isToStart { queue.async { self.drain() } }
  }

  /// Waits until all entries are written, at most for the timeout.
  /// - Returns: The number of entries that the journal has not accepted.
  func finish(within timeout: DispatchTimeInterval = .seconds(2)) -> Int {
    let written = DispatchGroup()
    queue.async(group: written) {}
    _ = written.wait(timeout: .now() + timeout)
    return state.withLock { $0.backlog.count + $0.underWay }
  }

  private func drain() {
    while let next = take() {
      let (entry, count) =
        switch next {
        case .element(let entry): (entry, 1)
        case .missing(let count): (Self.notice(count), count)
        }
      let isWritten = put(entry)
      let goesOn = state.withLock { state in
        state.underWay = 0
        if isWritten { return true }
        state.backlog.lose(count)
        // The journal rejected even the notice about missing entries. Count the entry after the notice as
        // missing too, and stop if no entry is left.
        guard case .missing = next, !state.backlog.loseNext() else { return true }
        state.isWriting = false
        return false
      }
      guard goesOn else { return }
    }
  }

  private func take() -> BoundedBuffer<JournalEntry>.Next? {
    state.withLock { state in
      let next = state.backlog.next()
      switch next {
      case .element: state.underWay = 1
      case .missing(let count): state.underWay = count
      case nil: state.isWriting = false
      }
      return next
    }
  }

  private static func notice(_ missing: Int) -> JournalEntry {
    JournalEntry(
      "\(Counted.text(missing, "entry is", "entries are")) missing here: the journal did not accept them",
      .warning,
      fields: ["HRGATE_EVENT": "dropped", "HRGATE_COUNT": "\(missing)"])
  }
}
