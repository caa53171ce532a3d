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
  private struct Listener {
    let haste: CommitHaste
    let continuation: AsyncStream<Void>.Continuation
  }

  private struct State {
    var listeners: [Int: Listener] = [:]
    var nextListener = 0
    /// In the haste of the listener that is in most.
    var watch: (haste: CommitHaste, watch: WriteAheadLogWatch)?

    var haste: CommitHaste? {
      listeners.isEmpty ? nil : listeners.values.contains { $0.haste == .prompt } ? .prompt : .leisurely
    }
  }

  private let state = Mutex(State())
  /// nil for a database in memory, which no other process can write.
  private let path: String?

  init(path: String?) {
    self.path = path
  }

  deinit {
    let (watch, listeners) = state.withLock { ($0.watch?.watch, Array($0.listeners.values)) }
    watch?.cancel()
    for listener in listeners { listener.continuation.finish() }
  }

  /// Ticks from now on. What is read after the call and before the first tick may be new already.
  func ticks(_ haste: CommitHaste) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (listener, former) = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = Listener(haste: haste, continuation: continuation)
      return (state.nextListener, adjustWatch(&state))
    }
    former?.cancel()
    continuation.onTermination = { [weak self] _ in self?.remove(listener) }
    return stream
  }

  func tick() {
    // Yielding under the lock would call a terminating listener's handler, which takes the lock.
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.continuation.yield() }
  }

  private func remove(_ listener: Int) {
    let former = state.withLock { state in
      state.listeners[listener] = nil
      return adjustWatch(&state)
    }
    former?.cancel()
  }

  /// Watches as the listeners need it. A watch that begins looks for what was written before, so nothing
  /// falls between two.
  /// - Returns: the one that is needed no more.
  private func adjustWatch(_ state: inout State) -> WriteAheadLogWatch? {
    guard let path, state.watch?.haste != state.haste else { return nil }
    let former = state.watch?.watch
    state.watch = state.haste.map { haste in
      (haste, WriteAheadLogWatch(ofDatabaseAt: path, haste) { [weak self] in self?.tick() })
    }
    return former
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
