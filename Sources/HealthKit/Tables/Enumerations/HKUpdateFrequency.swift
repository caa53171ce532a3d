// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How often a program is woken for new data, at most.
public enum HKUpdateFrequency: Int, Sendable {
  case immediate = 1
  case hourly = 2
  case daily = 3
  case weekly = 4
}
