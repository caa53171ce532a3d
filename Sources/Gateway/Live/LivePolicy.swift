/// Settings of a live run: how it starts and commits, and how it handles a store that fails.
///
/// ```swift
/// var policy = LivePolicy()
/// policy.commitInterval = .seconds(1)
/// policy.waitsForAnother = true
/// let gateway = HeartRateGateway(registry, policy: policy)
/// ```
public struct LivePolicy: Hashable, Sendable {
  /// Maximum time from the arrival of a measurement to its commit. A power failure loses the measurements of
  /// this period. Each commit is one fdatasync, so a shorter interval writes more to the disk
  /// (`Benchmarks/disk-writes`).
  public var commitInterval: Duration = .seconds(5)
  /// Maximum time for which a `FollowingCentral` holds events in order to emit several together. This delays
  /// the display of measurements. It is longer than a second, so that a strap with one measurement per second
  /// causes one wake-up for every two measurements.
  static let longestGathering = Duration.milliseconds(1050)
  /// How long a commit waits after the central's holding time, so that it includes the events that the
  /// central emits at its end. Otherwise, every second commit would miss the last measurement of a strap that
  /// sends one per second.
  private static let handOverSlack = Duration.milliseconds(100)
  /// Maximum number of samples and gaps in memory while the store cannot be written to. Further measurements
  /// are dropped. Values less than 1 count as 1.
  ///
  /// At about 400 bytes per sample, 100,000 samples take 40 MB. This is a day of one strap with one
  /// measurement per second, or 50 minutes of eight straps with four per second.
  ///
  /// The newest measurements are dropped, not the oldest, so that each monitor has a single gap with a known
  /// start and end, and the heartbeats in memory stay contiguous.
  public var heldBack = 100_000
  /// The delay after the first failed commit. It doubles after each further failure, up to ``longestRetry``.
  public var firstRetry: Duration = .milliseconds(250)
  /// The longest delay between two attempts to commit.
  public var longestRetry: Duration = .seconds(8)
  /// How long commits are retried after the central has ended. The process must end within two seconds. This
  /// timeout is shorter, to leave time for the last attempt and other work.
  public var finalTimeout: Duration = .seconds(1)
  /// Whether to compute and store the heart-rate variability (SDNN) of each five minutes and the resting
  /// heart rate of each day.
  public var derivesFigures = true
  /// Minimum time between two computations of derived samples such as the resting heart rate.
  public var derivationPause: Duration = .seconds(120)
  /// How long to continue computing derived samples after the last commit, but not beyond ``lastWork`` after
  /// the stop request. The next run computes the rest.
  public var lastDerivation: Duration = .milliseconds(500)
  /// How long after the stop request new work may still be started.
  static let lastWork = Duration.milliseconds(1500)
  /// Whether to compact samples that are older than an hour. Compaction does not start while a program of an
  /// earlier version may have the store open, because it could not read compacted samples.
  public var condenses = true
  /// The interval between searches for samples to compact, and the delay before the first.
  public var condensingPause: Duration = .seconds(600)

  /// Whether to wait for another gateway on the same store to end, instead of throwing an error.
  public var waitsForAnother = false
  /// How often to check whether the other gateway has ended.
  var lookForAnother: Duration = .seconds(1)

  public init() {}

  /// How long the central holds events in order to emit several together.
  var gathering: Duration { min(Self.longestGathering, commitInterval) }

  /// The time from the emission of the first uncommitted event to the commit.
  var intervalAfterGathering: Duration {
    commitInterval > gathering ? commitInterval - gathering + Self.handOverSlack : .zero
  }

  /// Returns the delay before the next attempt to commit.
  /// - Parameter failures: The number of consecutive failures, at least 1.
  func delay(afterFailures failures: Int) -> Duration {
    min(longestRetry, firstRetry * (1 << min(max(failures, 1) - 1, 16)))
  }
}
