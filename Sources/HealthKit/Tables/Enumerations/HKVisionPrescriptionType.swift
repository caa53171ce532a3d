// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What a vision prescription is for.
public enum HKVisionPrescriptionType: UInt, Sendable {
  case glasses = 1
  case contacts = 2
}
