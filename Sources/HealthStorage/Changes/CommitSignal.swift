import Channels
import GRDB
import Synchronization

/// How soon a commit of another process is reported. Commits of this process are always reported at once.
package enum CommitPriority: Hashable, Sendable {
  /// Call the subscriber as soon as the commit is visible.
  case prompt
  /// Call the subscriber after up to a second. Use it if a short delay is acceptable: a gateway commits every
  /// five seconds, and with `prompt`, each commit calls the subscriber several times.
  case low
}

/// Signals that this or another process may have committed something.
///
/// A signal only means that the subscriber should query again: several commits may cause one signal, and one
/// commit several. While there are no subscribers, the file is not watched.
final class CommitSignal: Sendable {
  private let prompt = Broadcast<Void>(newestOnly: true)
  private let low = Broadcast<Void>(newestOnly: true)
  /// The watch on the file of SQLite's log. It has the shortest delay that a subscriber requested.
  private let watch = Mutex<(priority: CommitPriority, watch: WriteAheadLogWatch)?>(nil)
  /// The path of the store; `nil` for a store in memory, to which other processes cannot write.
  private let path: String?

  init(path: String?) {
    self.path = path
  }

  deinit { watch.withLock(\.self)?.watch.cancel() }

  /// Returns a stream with an element after each commit from now on. A query may see a commit before the
  /// stream has an element for it.
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

  /// Starts, replaces or stops the watch, depending on the subscribers. A new watch signals once when it
  /// starts, so that no commit is missed while it replaces another one.
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

/// Signals the commits of this process, for which the file need not be watched.
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
