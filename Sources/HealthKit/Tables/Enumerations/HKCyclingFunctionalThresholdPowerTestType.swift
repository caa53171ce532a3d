// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How a functional threshold power was found.
public enum HKCyclingFunctionalThresholdPowerTestType: Int, Sendable {
  case maxExercise60Minute = 1
  case maxExercise20Minute = 2
  case rampTest = 3
  case predictionExercise = 4
}
