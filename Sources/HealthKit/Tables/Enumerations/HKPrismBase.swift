// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// To which side the base of a prism points.
public enum HKPrismBase: Int, Sendable {
  case none = 0
  case up = 1
  case down = 2
  case `in` = 3
  case out = 4
}
