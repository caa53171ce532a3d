import Channels
import GRDB
import Synchronization

/// How soon a listener hears that another process has written. Of what this one commits all hear at once.
package enum CommitHaste: Hashable, Sendable {
  /// As soon as it can be seen.
  case prompt
  /// After a second. A gateway commits every five seconds, and a watch in haste looks several times after each.
  case leisurely
}

/// Tells listeners that something may have been committed, by this process or another.
///
/// A tick says "look again" and nothing more: several commits may give one tick, and one commit several.
/// Nothing is watched while nobody listens.
final class CommitSignal: Sendable {
  private let prompt = Broadcast<Void>(newestOnly: true)
  private let leisurely = Broadcast<Void>(newestOnly: true)
  /// Watches the file at the shortest interval that a listener needs.
  private let watch = Mutex<(haste: CommitHaste, watch: WriteAheadLogWatch)?>(nil)
  /// nil for a database in memory, which no other process can write.
  private let path: String?

  init(path: String?) {
    self.path = path
  }

  deinit { watch.withLock(\.self)?.watch.cancel() }

  /// Ticks from now on. What is read after the call and before the first tick may be new already.
  func ticks(_ haste: CommitHaste) -> AsyncStream<Void> {
    let ticks = haste == .prompt ? prompt : leisurely
    let stream = ticks.stream { [weak self] in self?.adjustWatch() }
    adjustWatch()
    return stream
  }

  func tick() {
    prompt.send()
    leisurely.send()
  }

  /// Watches as the listeners need it. A watch that begins looks for what was written before, so nothing
  /// falls between two.
  private func adjustWatch() {
    guard let path else { return }
    let former = watch.withLock { watch -> WriteAheadLogWatch? in
      let haste: CommitHaste? =
        prompt.hasSubscribers ? .prompt : leisurely.hasSubscribers ? .leisurely : nil
      guard watch?.haste != haste else { return nil }
      let former = watch?.watch
      watch = haste.map { haste in
        (haste, WriteAheadLogWatch(ofDatabaseAt: path, haste) { [weak self] in self?.tick() })
      }
      return former
    }
    former?.cancel()
  }
}

/// This process's own commits need no watch on the file.
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
