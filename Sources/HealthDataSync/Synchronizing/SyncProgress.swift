import Channels
import Synchronization

/// The progress of a run.
public struct SyncProgress: Hashable, Sendable {
  /// The activity of a run.
  public enum State: Hashable, Sendable {
    /// The external store is being opened.
    case opening
    case carrying
    /// All changes are sent, and the run waits for new ones.
    case idle
    /// An attempt failed. The next one starts after a delay, or when the destination is reset.
    case waiting(ExternalStoreError, pause: Duration)
    /// The run waits, because another process is sending to the destination.
    case elsewhere(process: Int32?)
    case ended
  }

  /// What the run is doing now.
  public internal(set) var state = State.opening
  /// The number of samples sent in this run.
  public internal(set) var sent = 0
  /// The number of deletions sent in this run.
  public internal(set) var deleted = 0
  /// The number of records that the destination rejected in this run.
  public internal(set) var setAside = 0
  /// The number of samples not sent in this run because the destination never accepts their type or form.
  public internal(set) var rejected = 0
  /// The number of changes left to send, when last counted.
  public internal(set) var pending = 0
  /// The time spent sending. The throughput is the number of changes, ``carried``, divided by this time.
  public internal(set) var timeCarrying = Duration.zero

  /// The number of changes that this run has sent or that the destination has rejected.
  public var carried: Int { sent + deleted + setAside + rejected }
}

/// Publishes the progress of a run to any number of subscribers. A slow subscriber misses intermediate
/// values.
final class ProgressStore: Sendable {
  private let progress = Mutex(SyncProgress())
  private let updates = Broadcast<SyncProgress>(newestOnly: true)

  /// Returns a stream of the progress that starts with the current value.
  func stream() -> AsyncStream<SyncProgress> { progress.withLock { updates.stream(startingWith: [$0]) } }

  func update(_ change: (inout SyncProgress) -> Void) {
    progress.withLock { progress in
      change(&progress)
      // Send while holding the lock, so that subscribers receive the values in order.
      updates.send(progress)
    }
  }

  func begin() { update { $0 = SyncProgress() } }

  /// Publishes the state `ended` and ends all streams.
  func end() {
    update { $0.state = .ended }
    updates.finish()
  }
}
