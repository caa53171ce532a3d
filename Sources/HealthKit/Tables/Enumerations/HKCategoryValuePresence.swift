// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether a symptom is present.
public enum HKCategoryValuePresence: Int, Sendable {
  case present = 0
  case notPresent = 1
}
