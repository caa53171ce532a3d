import Ingestion

extension IngestionTally {
  /// Number of measurements that are in memory: neither stored, nor duplicate, nor rejected yet.
  var waitingMeasurements: Int { measurements - storedMeasurements - duplicates - rejectedMeasurements }
}
