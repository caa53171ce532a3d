// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How a heart-rate recovery was found.
public enum HKHeartRateRecoveryTestType: Int, Sendable {
  case maxExercise = 1
  case predictionSubMaxExercise = 2
  case predictionNonExercise = 3
}
