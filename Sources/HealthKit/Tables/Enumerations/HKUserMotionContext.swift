// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How the user moved: the value of `HKMetadataKeyUserMotionContext`.
public enum HKUserMotionContext: Int, Sendable {
  case notSet = 0
  case stationary = 1
  case active = 2
}
