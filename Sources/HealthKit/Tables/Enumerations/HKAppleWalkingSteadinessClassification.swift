// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How steady a walk is.
public enum HKAppleWalkingSteadinessClassification: Int, Sendable {
  case ok = 1
  case low = 2
  case veryLow = 3
}
