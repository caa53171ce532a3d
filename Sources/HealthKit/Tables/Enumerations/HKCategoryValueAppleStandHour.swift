// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether the user stood in an hour.
public enum HKCategoryValueAppleStandHour: Int, Sendable {
  case stood = 0
  case idle = 1
}
