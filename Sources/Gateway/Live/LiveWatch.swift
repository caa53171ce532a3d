import Ingestion

/// How those who watch a run get to see what comes in. Never waits.
struct LiveWatch: Sendable {
  /// Somebody watches now.
  var isWatched: @Sendable () -> Bool
  /// Called with what came in together, decoded, in its order and before it is committed.
  var tell: @Sendable ([StrapReading]) -> Void
}
