import Synchronization

/// Where a run writes how far it is, for whoever wants to know.
final class ProgressBoard: Sendable {
  private struct State {
    var progress = SyncProgress()
    var listeners: [Int: AsyncStream<SyncProgress>.Continuation] = [:]
    var nextListener = 0
  }

  private let state = Mutex(State())

  /// The latest, beginning with how it is now. Who is slow misses what lies between.
  func stream() -> AsyncStream<SyncProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SyncProgress.self, bufferingPolicy: .bufferingNewest(1))
    let listener = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      continuation.yield(state.progress)
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
    }
    return stream
  }

  func update(_ change: (inout SyncProgress) -> Void) {
    state.withLock { state in
      change(&state.progress)
      // Within the lock: what is told last is the latest.
      for listener in state.listeners.values { listener.yield(state.progress) }
    }
  }

  func begin() { update { $0 = SyncProgress() } }

  /// The streams end.
  func end() {
    update { $0.state = .ended }
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
