// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// When blood glucose was measured: the value of `HKMetadataKeyBloodGlucoseMealTime`.
public enum HKBloodGlucoseMealTime: Int, Sendable {
  case preprandial = 1
  case postprandial = 2
}
