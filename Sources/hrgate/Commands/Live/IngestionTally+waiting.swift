import Ingestion

extension IngestionTally {
  /// Measurements whose fate is not decided: they are in memory.
  var waitingMeasurements: Int { measurements - storedMeasurements - duplicates - rejectedMeasurements }
}
