// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Where a workout session stands.
public enum HKWorkoutSessionState: Int, Sendable {
  case notStarted = 1
  case running = 2
  case ended = 3
  case paused = 4
  case prepared = 5
  case stopped = 6
}
