import Ingestion

/// How those who watch a run get to see what comes in. Never waits.
struct LiveWatch: Sendable {
  /// Somebody watches now.
  var isWatched: @Sendable () -> Bool
  /// Called where more came in while a commit is under way, which may take for ever: the counts so far, and
  /// how many samples and gaps wait.
  var count: @Sendable (IngestionTally, Int) -> Void = { _, _ in }
  /// Called with what came in together, decoded, in its order and before it is committed.
  var tell: @Sendable ([StrapReading]) -> Void
}
