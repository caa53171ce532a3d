// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// The result of a pregnancy test.
public enum HKCategoryValuePregnancyTestResult: Int, Sendable {
  case negative = 1
  case positive = 2
  case indeterminate = 3
}
