/// Settings of a live run: how it starts and commits, and how it handles a store that fails.
///
/// ```swift
/// var policy = LivePolicy()
/// policy.commitInterval = .seconds(1)
/// policy.waitsForAnother = true
/// let gateway = HeartRateGateway(registry, policy: policy)
/// ```
public struct LivePolicy: Hashable, Sendable {
  /// Maximum time from the arrival of a measurement to its commit: what a power failure can lose. Each commit
  /// is one fdatasync, so the interval decides how much is written to the disk (`Benchmarks/disk-writes`).
  public var commitInterval: Duration = .seconds(5)
  /// Maximum time for which a `FollowingCentral` collects events before it emits them together. Delays live
  /// values by that time. Longer than a second, so that two frames of a strap that notifies once a second
  /// cost one wake-up.
  static let longestGathering = Duration.milliseconds(1050)
  /// Additional time that a commit waits for events that are emitted at the end of its interval. Without
  /// it, every second commit of a strap that notifies once a second would miss the last frames.
  private static let handOverSlack = Duration.milliseconds(100)
  /// Maximum number of samples and gaps in memory while the store fails. Measurements beyond it are
  /// dropped. Values less than 1 count as 1.
  ///
  /// At about 400 bytes a sample, 100,000 are about 40 MB: a day of one strap that notifies once a second,
  /// or 50 minutes of eight straps at four a second.
  ///
  /// The newest are dropped, not the oldest. The loss is then one period for each monitor with a known
  /// start and end, and the beats in memory stay contiguous. Dropping the oldest would move the hole with
  /// each new frame.
  public var heldBack = 100_000
  /// The time from the first failure to the next attempt. It doubles after each further failure, up to
  /// ``longestRetry``.
  public var firstRetry: Duration = .milliseconds(250)
  /// The longest time from one attempt to the next while the store fails.
  public var longestRetry: Duration = .seconds(8)
  /// How long a failing store is retried after the source has ended, while the central stops. Later
  /// measurements are lost and counted. It is less than the two seconds in which a run must end, because a
  /// running attempt is waited for and other work follows.
  public var finalTimeout: Duration = .seconds(1)
  /// Whether to derive and store samples: heart-rate variability (SDNN) of each five minutes, and the
  /// resting heart rate of each day.
  public var derivesFigures = true
  /// Minimum time from one search for samples to derive to the next.
  public var derivationPause: Duration = .seconds(120)
  /// How long samples are still derived after the last commit, if there is time: at the latest until
  /// ``lastWork`` after the stop request. The next run derives the rest.
  public var lastDerivation: Duration = .milliseconds(500)
  /// The time after the stop request from which on no more work is started.
  static let lastWork = Duration.milliseconds(1500)
  /// Whether samples that are older than an hour are compacted into segments. They are not while a program
  /// of an earlier version may have the store open, because it could not read them.
  public var condenses = true
  /// The time before the first search for samples to compact, and from one search to the next.
  public var condensingPause: Duration = .seconds(600)

  /// Whether to wait for another gateway that runs on the store, instead of failing.
  public var waitsForAnother = false
  /// Interval between checks whether the other gateway has ended.
  var lookForAnother: Duration = .seconds(1)

  public init() {}

  /// How long the central collects events before it emits them together.
  var gathering: Duration { min(Self.longestGathering, commitInterval) }

  /// The time from the first event that the central emits to the commit.
  var intervalAfterGathering: Duration {
    commitInterval > gathering ? commitInterval - gathering + Self.handOverSlack : .zero
  }

  /// - Parameter failures: The number of consecutive failures, at least 1.
  func delay(afterFailures failures: Int) -> Duration {
    min(longestRetry, firstRetry * (1 << min(max(failures, 1) - 1, 16)))
  }
}
