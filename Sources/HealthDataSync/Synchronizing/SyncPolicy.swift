/// The delays of a synchronizer, and how many changes it sends at once.
public struct SyncPolicy: Hashable, Sendable {
  /// Maximum number of samples and deletions in a page, the changes that are sent at once.
  public var pageCount = 10_000
  /// Approximate maximum size in memory of a page of changes, in bytes. Two pages are in memory at a time.
  public var pageBytes = 2 << 20
  /// How long changes are collected before they are sent, so that the samples of a live recording are not
  /// sent one by one.
  public var liveInterval: Duration = .milliseconds(500)
  /// Upper limit of the random delay before the second attempt. It doubles for each further attempt.
  public var firstPause: Duration = .milliseconds(500)
  /// Upper limit of the delay before an attempt, and the delay after an error that requires the user to act.
  public var longestPause: Duration = .seconds(300)
  /// Upper limit of the delay that a server can request (Retry-After).
  public var longestAskedPause: Duration = .seconds(3600)
  /// Delay before a dead-letter record is retried. It doubles after each attempt.
  public var firstPauseOfSetAside: Duration = .seconds(300)
  /// Upper limit of the delay before a dead-letter record is retried.
  public var longestPauseOfSetAside: Duration = .seconds(24 * 3600)
  /// Number of consecutive failed attempts after which `runOnce()` throws.
  public var attemptsOfOneRun = 5
  /// Interval at which `run()` checks whether another process is still sending to the destination.
  public var leaseInterval: Duration = .seconds(5)

  public init() {}
}
