// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Which effort samples of a workout a query returns.
public enum HKWorkoutEffortRelationshipQueryOptions: Int, Sendable {
  case `default` = 0
  case mostRelevant = 1
}
