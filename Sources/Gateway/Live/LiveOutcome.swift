import Ingestion

/// How a live run ended.
struct LiveOutcome: Sendable {
  var tally: IngestionTally
  /// The central's error, if one ended the run.
  var failure: (any Error)?
  /// What the store did not take of what was measured; `nil` if it took all.
  var loss: LostMeasurements?
}
