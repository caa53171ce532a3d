import Channels
import Dispatch
import Synchronization

/// Writes entries to the journal on a thread of its own: a journald that is behind keeps nobody else waiting.
/// So many entries wait; then the oldest are dropped, and an entry in their place counts them.
final class JournalOutput: Sendable {
  private struct State {
    var backlog: BoundedBuffer<JournalEntry>
    /// Somebody writes what waits.
    var isWriting = false
    /// What is on its way.
    var underWay = 0
  }

  private let put: @Sendable (JournalEntry) -> Bool
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "org.hrgate.journal")

  convenience init(to journal: Journal) { self.init { journal.write($0) } }

  /// - Parameters:
  ///   - capacity: How many entries wait.
  ///   - put: Has the journal take an entry, and says whether it did.
  init(capacity: Int = 1000, _ put: @escaping @Sendable (JournalEntry) -> Bool) {
    self.put = put
    state = Mutex(State(backlog: BoundedBuffer(capacity: capacity)))
  }

  /// Never waits.
  func write(_ entry: JournalEntry) {
    let isToStart = state.withLock { state in
      state.backlog.append(entry)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if isToStart { queue.async { self.drain() } }
  }

  /// Waits until all is written, or for so long.
  /// - Returns: How many entries the journal does not have.
  func finish(within patience: DispatchTimeInterval = .seconds(2)) -> Int {
    let written = DispatchGroup()
    queue.async(group: written) {}
    _ = written.wait(timeout: .now() + patience)
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
        // A journal that does not even take the notice has not taken the next either: that would stand before
        // it. Where none is left there is an end.
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
      "\(Counted.text(missing, "entry is", "entries are")) missing here: the journal did not take them",
      .warning,
      fields: ["HRGATE_EVENT": "dropped", "HRGATE_COUNT": "\(missing)"])
  }
}
