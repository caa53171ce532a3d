import GRDB
import Synchronization

/// Tells listeners that something may have been committed, by this process or another.
///
/// A tick says "look again" and nothing more: several commits may give one tick, and one commit several.
/// Nothing is watched while nobody listens.
final class CommitSignal: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
    var watch: WriteAheadLogWatch?
  }

  private let state = Mutex(State())
  /// nil for a database in memory, which no other process can write.
  private let path: String?

  init(path: String?) {
    self.path = path
  }

  deinit {
    let (watch, listeners) = state.withLock { ($0.watch, Array($0.listeners.values)) }
    watch?.cancel()
    for listener in listeners { listener.finish() }
  }

  /// Ticks from now on. What is read after the call and before the first tick may be new already.
  func ticks() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      if state.watch == nil, let path {
        state.watch = WriteAheadLogWatch(ofDatabaseAt: path) { [weak self] in self?.tick() }
      }
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in self?.remove(listener) }
    return stream
  }

  func tick() {
    // Yielding under the lock would call a terminating listener's handler, which takes the lock.
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield() }
  }

  private func remove(_ listener: Int) {
    let watch = state.withLock { state -> WriteAheadLogWatch? in
      state.listeners[listener] = nil
      guard state.listeners.isEmpty else { return nil }
      defer { state.watch = nil }
      return state.watch
    }
    watch?.cancel()
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
