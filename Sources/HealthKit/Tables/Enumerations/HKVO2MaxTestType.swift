// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How a VO₂max was found: the value of `HKMetadataKeyVO2MaxTestType`.
public enum HKVO2MaxTestType: Int, Sendable {
  case maxExercise = 1
  case predictionSubMaxExercise = 2
  case predictionNonExercise = 3
  case predictionStepTest = 4
}
