// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How strong a bleeding is.
public enum HKCategoryValueVaginalBleeding: Int, Sendable {
  case unspecified = 1
  case light = 2
  case medium = 3
  case heavy = 4
  case none = 5
}
