import Ingestion

extension IngestionTally {
  var rejectedMeasurements: Int { rejected.values.reduce(0, +) }

  /// Measurements whose fate is not decided: they are in memory.
  var waitingMeasurements: Int { measurements - storedMeasurements - duplicates - rejectedMeasurements }
}
