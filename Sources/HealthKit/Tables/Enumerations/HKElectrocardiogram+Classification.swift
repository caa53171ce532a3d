// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKElectrocardiogram {
  /// What the algorithm made of an electrocardiogram.
  public enum Classification: Int, Sendable {
    case notSet = 0
    case sinusRhythm = 1
    case atrialFibrillation = 2
    case inconclusiveLowHeartRate = 3
    case inconclusiveHighHeartRate = 4
    case inconclusivePoorReading = 5
    case inconclusiveOther = 6
    case unrecognized = 100
  }
}
