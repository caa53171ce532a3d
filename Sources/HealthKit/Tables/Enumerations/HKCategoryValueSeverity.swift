// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How severe a symptom is.
public enum HKCategoryValueSeverity: Int, Sendable {
  case unspecified = 0
  case notPresent = 1
  case mild = 2
  case moderate = 3
  case severe = 4
}
