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
  /// this time. Each commit is one fdatasync, so a shorter interval writes more to the disk
  /// (`Benchmarks/disk-writes`).
  public var commitInterval: Duration = .seconds(5)
  /// Maximum time for which a `FollowingCentral` holds events to emit several together. Measurements are
  /// displayed late by up to this time. It is longer than a second, so that two measurements of a strap with
  /// one per second cause only one wake-up.
  static let longestGathering = Duration.milliseconds(1050)
  /// How much longer a commit waits for the events that the central emits at the end of its holding time.
  /// Without this, every second commit would miss the last measurement of a strap with one per second.
  private static let handOverSlack = Duration.milliseconds(100)
  /// Maximum number of samples and gaps in memory while the store cannot be written to. Further measurements
  /// are dropped. Values less than 1 count as 1.
  ///
  /// With about 400 bytes per sample, 100,000 samples take 40 MB. This is a day of one strap with one
  /// measurement per second, or 50 minutes of eight straps with four.
  ///
  /// The newest measurements are dropped, not the oldest. Then each monitor has a single gap with a known
  /// start and end, and the heartbeats in memory stay contiguous.
  public var heldBack = 100_000
  /// The delay after the first failed commit. It doubles after each further failure, up to ``longestRetry``.
  public var firstRetry: Duration = .milliseconds(250)
  /// The longest delay between two attempts to commit.
  public var longestRetry: Duration = .seconds(8)
  /// How long commits are retried after the central has ended. The process has to end within two seconds.
  /// This is less, because the last attempt has to finish and other work follows.
  public var finalTimeout: Duration = .seconds(1)
  /// Whether to compute and store heart-rate variability (SDNN) for each five minutes, and the resting heart
  /// rate of each day.
  public var derivesFigures = true
  /// Minimum time between two computations of derived samples such as the resting heart rate.
  public var derivationPause: Duration = .seconds(120)
  /// How long to continue computations of derived samples after the last commit. They end at the latest at
  /// ``lastWork`` after the stop request. The next run computes the rest.
  public var lastDerivation: Duration = .milliseconds(500)
  /// The time after the stop request from which no more work is started.
  static let lastWork = Duration.milliseconds(1500)
  /// Whether to compact samples that are older than an hour. Compaction does not start while a program of an
  /// earlier version may have the store open, because that program could not read compacted samples.
  public var condenses = true
  /// The time between two searches for samples to compact, and before the first search.
  public var condensingPause: Duration = .seconds(600)

  /// If another gateway runs on the store, wait until it ends instead of throwing an error.
  public var waitsForAnother = false
  /// How often to check whether the other gateway has ended.
  var lookForAnother: Duration = .seconds(1)

  public init() {}

  /// How long the central holds events to emit several together.
  var gathering: Duration { min(Self.longestGathering, commitInterval) }

  /// The time from the emission of the first event to the commit.
  var intervalAfterGathering: Duration {
    commitInterval > gathering ? commitInterval - gathering + Self.handOverSlack : .zero
  }

  /// - Parameter failures: The number of consecutive failures, at least 1.
  func delay(afterFailures failures: Int) -> Duration {
    min(longestRetry, firstRetry * (1 << min(max(failures, 1) - 1, 16)))
  }
}
