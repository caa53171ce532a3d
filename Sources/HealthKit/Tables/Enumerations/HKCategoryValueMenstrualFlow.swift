// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// How strong a menstrual flow is.
public enum HKCategoryValueMenstrualFlow: Int, Sendable {
  case unspecified = 1
  case light = 2
  case medium = 3
  case heavy = 4
  case none = 5
}
