import Ingestion

/// Sends incoming readings to the watchers of a run, without waiting for them.
struct LiveWatch: Sendable {
  /// Returns whether there are watchers now.
  var isWatched: @Sendable () -> Bool
  /// Called if more readings arrive during a commit, which may take long: the counts so far, and the number
  /// of pending samples and gaps.
  var count: @Sendable (IngestionTally, Int) -> Void = { _, _ in }
  /// Called with decoded readings that arrived together, in order, before they are committed.
  var tell: @Sendable ([StrapReading]) -> Void
}
