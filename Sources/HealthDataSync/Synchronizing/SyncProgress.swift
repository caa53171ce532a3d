import Synchronization

/// The progress of a run.
public struct SyncProgress: Hashable, Sendable {
  /// The activity of a run.
  public enum State: Hashable, Sendable {
    /// The external store is being opened.
    case opening
    case carrying
    /// All changes are sent, and the run waits for more.
    case idle
    /// An attempt failed. The next one starts after a delay, or when the destination is reset.
    case waiting(ExternalStoreError, pause: Duration)
    /// Another process sends to the destination.
    case elsewhere(process: Int32?)
    case ended
  }

  public internal(set) var state = State.opening
  /// The number of samples sent in this run.
  public internal(set) var sent = 0
  /// The number of deletions sent in this run.
  public internal(set) var deleted = 0
  /// The number of records added to the dead-letter list in this run.
  public internal(set) var setAside = 0
  /// The number of samples in this run that the destination never accepts.
  public internal(set) var rejected = 0
  /// The number of remaining changes at the last check.
  public internal(set) var pending = 0
  /// The time spent on sending. The rate is `carried` divided by this time.
  public internal(set) var timeCarrying = Duration.zero

  /// The number of processed records in this run.
  public var carried: Int { sent + deleted + setAside + rejected }
}

/// The progress of a run for any number of subscribers.
final class ProgressBoard: Sendable {
  private struct State {
    var progress = SyncProgress()
    var listeners: [Int: AsyncStream<SyncProgress>.Continuation] = [:]
    var nextListener = 0
  }

  private let state = Mutex(State())

  /// Returns a stream of the progress that starts with the current value. A slow reader misses intermediate
  /// values.
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
      // Yield under the lock, so that the last value is the latest.
      for listener in state.listeners.values { listener.yield(state.progress) }
    }
  }

  func begin() { update { $0 = SyncProgress() } }

  /// Ends all streams.
  func end() {
    update { $0.state = .ended }
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
