import Ingestion

/// The result of a live run.
struct LiveOutcome: Sendable {
  var tally: IngestionTally
  /// The central's error, if one ended the run.
  var failure: (any Error)?
  /// The measurements that the store did not accept; `nil` if it accepted all.
  var loss: LostMeasurements?
}
