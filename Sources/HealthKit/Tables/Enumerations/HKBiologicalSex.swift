// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// A sex, as the user entered it.
public enum HKBiologicalSex: Int, Sendable {
  case notSet = 0
  case female = 1
  case male = 2
  case other = 3
}
