import Channels
import GRDB
import Synchronization

/// The delay with which commits of other processes are reported. This process's commits are reported
/// immediately.
package enum CommitPriority: Hashable, Sendable {
  /// As soon as the commit is visible.
  case prompt
  /// After a second. A gateway commits every five seconds, and a prompt watch queries several times after
  /// each commit.
  case low
}

/// Signals that something may have been committed, by this process or another.
///
/// A tick means only "query again": several commits may cause one tick, and one commit several. The file is
/// not watched while there are no subscribers.
final class CommitSignal: Sendable {
  private let prompt = Broadcast<Void>(newestOnly: true)
  private let low = Broadcast<Void>(newestOnly: true)
  /// The file watch, with the shortest delay that a subscriber requested.
  private let watch = Mutex<(priority: CommitPriority, watch: WriteAheadLogWatch)?>(nil)
  /// nil for a database in memory, which other processes cannot write.
  private let path: String?

  init(path: String?) {
    self.path = path
  }

  deinit { watch.withLock(\.self)?.watch.cancel() }

  /// Emits from now on. Data read after this call and before the first tick may already include a commit.
  func ticks(_ priority: CommitPriority) -> AsyncStream<Void> {
    let ticks = priority == .prompt ? prompt : low
    let stream = ticks.stream { [weak self] in self?.adjustWatch() }
    adjustWatch()
    return stream
  }

  func tick() {
    prompt.send()
    low.send()
  }

  /// Starts, replaces or stops the watch according to the subscribers. A new watch assumes a write just
  /// before its start, so no commit is missed when one watch replaces another.
  private func adjustWatch() {
    guard let path else { return }
    let former = watch.withLock { watch -> WriteAheadLogWatch? in
      let priority: CommitPriority? =
        prompt.hasSubscribers ? .prompt : low.hasSubscribers ? .low : nil
      guard watch?.priority != priority else { return nil }
      let former = watch?.watch
      watch = priority.map { priority in
        (priority, WriteAheadLogWatch(ofDatabaseAt: path, priority) { [weak self] in self?.tick() })
      }
      return former
    }
    former?.cancel()
  }
}

/// Ticks for this process's own commits, without a watch on the file.
final class OwnCommits: TransactionObserver {
  private let signal: CommitSignal

  init(_ signal: CommitSignal) {
    self.signal = signal
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ database: Database) { signal.tick() }
  func databaseDidRollback(_ database: Database) {}
}
