import Dispatch
import Synchronization
import Systemd

/// Writes entries to the journal on a thread of its own: a journald that is behind keeps nobody else waiting.
/// So many entries wait, and those that do not fit are counted.
final class JournalOutput: Sendable {
  private struct State {
    var waiting = 0
    /// How many entries are missing before the next one.
    var missing = 0
  }

  private static let capacity = 1000

  private let journal: Journal
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "org.hrgate.journal")

  init(to journal: Journal) { self.journal = journal }

  /// Never waits.
  func write(_ entry: JournalEntry) {
    let hasRoom = state.withLock { state in
      let hasRoom = state.waiting < Self.capacity
      if hasRoom { state.waiting += 1 } else { state.missing += 1 }
      return hasRoom
    }
    if hasRoom { queue.async { self.put(entry) } }
  }

  /// Waits until all is written, or for so long.
  /// - Returns: How many entries the journal does not have.
  func finish(within patience: DispatchTimeInterval = .seconds(2)) -> Int {
    let written = DispatchGroup()
    queue.async(group: written) {}
    _ = written.wait(timeout: .now() + patience)
    return state.withLock { $0.waiting + $0.missing }
  }

  private func put(_ entry: JournalEntry) {
    let missing = state.withLock(\.missing)
    if missing > 0, journal.write(Self.notice(missing)) { state.withLock { $0.missing -= missing } }
    let isWritten = journal.write(entry)
    state.withLock { state in
      state.waiting -= 1
      if !isWritten { state.missing += 1 }
    }
  }

  private static func notice(_ missing: Int) -> JournalEntry {
    JournalEntry(
      "\(Counted.text(missing, "entry is", "entries are")) missing here: the journal did not take them",
      .warning,
      fields: ["HRGATE_EVENT": "dropped", "HRGATE_COUNT": "\(missing)"])
  }
}
