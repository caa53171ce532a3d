// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What a notification of walking steadiness told.
public enum HKCategoryValueAppleWalkingSteadinessEvent: Int, Sendable {
  case initialLow = 1
  case initialVeryLow = 2
  case repeatLow = 3
  case repeatVeryLow = 4
}
