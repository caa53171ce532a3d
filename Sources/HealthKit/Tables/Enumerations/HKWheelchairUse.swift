// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Whether the user uses a wheelchair.
public enum HKWheelchairUse: Int, Sendable {
  case notSet = 0
  case no = 1
  case yes = 2
}
