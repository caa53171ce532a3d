// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What the move ring of an activity summary counts.
public enum HKActivityMoveMode: Int, Sendable {
  case activeEnergy = 1
  case appleMoveTime = 2
}
