// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether breathing was disturbed in sleep more than is usual.
public enum HKAppleSleepingBreathingDisturbancesClassification: Int, Sendable {
  case notElevated = 0
  case elevated = 1
}
