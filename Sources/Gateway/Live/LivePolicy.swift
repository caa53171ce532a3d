/// How a live run begins, commits, and what it does while the store cannot be written to.
public struct LivePolicy: Hashable, Sendable {
  /// Maximum time from the arrival of a measurement to its commit: what a power failure can lose. Each commit
  /// is one fdatasync, so the interval decides how much is written to the disk (`Benchmarks/disk-writes`).
  public var commitInterval: Duration = .seconds(5)
  /// How long the events of a `FollowingCentral` wait for others before they are handed over together. Live
  /// values are delayed by it. Longer than a second, so that two frames of a strap that notifies once a second
  /// cost one wake-up.
  static let longestGathering = Duration.milliseconds(1050)
  /// The commit waits this much longer than the interval for events that are handed over at its end. Without it,
  /// each second commit of a strap that notifies once a second would miss the last frames.
  private static let handOverSlack = Duration.milliseconds(100)
  /// How many samples and gaps are held in memory while the store refuses them. Measurements beyond that are
  /// shed. Less than 1 is taken as 1.
  ///
  /// At some 400 octets a sample, 100,000 are about 40 MB: a day of one strap that notifies once a second, 50
  /// minutes of eight straps at four a second.
  ///
  /// The newest are shed, not the oldest. The loss is then one stretch for each monitor, with a known
  /// beginning and end, and the beats that are held stay unbroken; shedding the oldest would move the hole
  /// with each new frame.
  public var heldBack = 100_000
  /// How long after a failure the store is tried again; twice as long after each further one, up to
  /// ``longestRetry``.
  public var firstRetry: Duration = .milliseconds(250)
  public var longestRetry: Duration = .seconds(8)
  /// How long the store is tried once the source has ended, beside bluetoothd's being given back what it
  /// holds. What it does not take by then is lost and counted. Less than the two seconds in which a run is to
  /// end: an attempt that is under way is waited for, and others come after.
  public var lastPatience: Duration = .seconds(1)
  /// Whether figures are derived from what is stored, and stored: heart-rate variability (SDNN) of each five
  /// minutes, and the resting heart rate of each day.
  public var derivesFigures = true
  /// From one look for what figures are to be derived from to the next, at least.
  public var derivationPause: Duration = .seconds(120)
  /// For how long figures are still derived once all is committed, if there is time: not later than
  /// ``lastWork`` after the wish to end. The next run derives the rest.
  public var lastDerivation: Duration = .milliseconds(500)
  /// So long after the wish to end nothing more is begun.
  static let lastWork = Duration.milliseconds(1500)
  /// Whether samples that are older than an hour are packed into blocks. As long as a program of an earlier
  /// version may have the store open, which would not see them any more, they are not.
  public var condenses = true
  /// Before the first look for what there is to pack, and from one to the next.
  public var condensingPause: Duration = .seconds(600)

  /// Where another gateway runs on the store, wait for its end and go on then, instead of failing.
  public var waitsForAnother = false
  /// How often it is looked whether that one has ended.
  var lookForAnother: Duration = .seconds(1)

  public init() {}

  /// What the central of a run waits before it hands events over.
  var gathering: Duration { min(Self.longestGathering, commitInterval) }

  /// From the first event that the central hands over to the commit.
  var intervalAfterGathering: Duration {
    commitInterval > gathering ? commitInterval - gathering + Self.handOverSlack : .zero
  }

  /// - Parameter failures: How many there were in a row, from 1 on.
  func delay(afterFailures failures: Int) -> Duration {
    min(longestRetry, firstRetry * (1 << min(max(failures, 1) - 1, 16)))
  }
}
