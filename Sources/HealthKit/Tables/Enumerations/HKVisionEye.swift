// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// An eye.
public enum HKVisionEye: Int, Sendable {
  case left = 1
  case right = 2
}
