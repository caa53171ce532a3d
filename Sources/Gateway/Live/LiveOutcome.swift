import Ingestion

/// How a live run ended.
struct LiveOutcome: Sendable {
  var tally: IngestionTally
  /// The central's error, if one ended the run.
  var failure: (any Error)?
  /// Why the store did not take all that was measured; `nil` if it did.
  var loss: (any Error)?
}
