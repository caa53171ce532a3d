// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Where a workout takes place.
public enum HKWorkoutSessionLocationType: Int, Sendable {
  case unknown = 1
  case indoor = 2
  case outdoor = 3
}
