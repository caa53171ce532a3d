// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// The value of category samples that have nothing but their time.
public enum HKCategoryValue: Int, Sendable {
  case notApplicable = 0
}
