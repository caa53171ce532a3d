// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How a physical effort was estimated.
public enum HKPhysicalEffortEstimationType: Int, Sendable {
  case activityLookup = 1
  case deviceSensed = 2
}
