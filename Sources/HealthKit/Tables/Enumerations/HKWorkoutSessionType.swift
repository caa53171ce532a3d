// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether a workout session runs here or is mirrored from another device.
public enum HKWorkoutSessionType: Int, Sendable {
  case primary = 0
  case mirrored = 1
}
