public import Ingestion

/// The state of a live run after an attempt to commit.
public struct CommitReport: Sendable {
  /// The counts so far. A measurement that is held back counts in `measurements` at once, and elsewhere
  /// only after it was stored or rejected.
  public var tally: IngestionTally
  /// The number of samples and gaps that are not committed yet.
  public var heldBack: Int
  /// The error of the store; `nil` if the commit succeeded.
  public var failure: (any Error)?
  /// The gaps that this commit created, changed or ended, in their current form.
  public var gaps: [MonitorGap] = []
  /// The errors of the wall clock that this commit has recorded, after the clock was set back.
  public var clockErrors: [ClockError] = []
  /// The error of recording a clock change, while the store accepts measurements. Set once, in the report
  /// after the first attempt. Each later commit tries again; ``IngestionTally/refusedClockChanges`` counts
  /// the pending ones.
  public var clockRefusal: (any Error)?
}
