public import Ingestion

/// Where a live run stands after it tried to commit.
public struct CommitReport: Sendable {
  /// The counts so far. A measurement that is held back is counted in `measurements` at once, and elsewhere
  /// only when its fate is decided.
  public var tally: IngestionTally
  /// Samples and gaps that were gathered and are not committed.
  public var heldBack: Int
  /// Why the store does not take them; `nil` if it does.
  public var failure: (any Error)?
  /// The gaps that this commit has put into the store: begun, changed or ended, each as it is now.
  public var gaps: [MonitorGap] = []
  /// The wall clock was set back, and this commit has marked what was stored while it was ahead.
  public var clockErrors: [ClockError] = []
  /// The wall clock was set, and the store refuses to mark or note what that says, though it takes
  /// measurements. Told once, in the report after the first attempt; it is tried again with each later
  /// commit, and ``IngestionTally/refusedClockChanges`` says how many there are.
  public var clockRefusal: (any Error)?
}
