// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How appetite changed.
public enum HKCategoryValueAppetiteChanges: Int, Sendable {
  case unspecified = 0
  case noChange = 1
  case decreased = 2
  case increased = 3
}
