/// How far a run has come.
public struct SyncProgress: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    /// It connects.
    case opening
    case carrying
    /// Everything is there; it waits for changes.
    case idle
    /// An attempt failed; the next is made after a pause, or earlier when the destination is reset.
    case waiting(ExternalStoreError, pause: Duration)
    /// Another process carries to the destination.
    case elsewhere(process: Int32?)
    case ended
  }

  public internal(set) var state = State.opening
  /// In this run. Samples that went over,
  public internal(set) var sent = 0
  /// deletions,
  public internal(set) var deleted = 0
  /// records that were refused,
  public internal(set) var setAside = 0
  /// and samples that the destination never accepts.
  public internal(set) var rejected = 0
  /// What is left of what was there when it last looked.
  public internal(set) var pending = 0
  /// How much time was spent on what was carried; the rate is `carried` by this.
  public internal(set) var timeCarrying = Duration.zero

  public var carried: Int { sent + deleted + setAside + rejected }
}
