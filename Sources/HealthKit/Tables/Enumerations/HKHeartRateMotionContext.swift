// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What the user did while a heart rate was measured: the value of `HKMetadataKeyHeartRateMotionContext`.
public enum HKHeartRateMotionContext: Int, Sendable {
  case notSet = 0
  case sedentary = 1
  case active = 2
}
