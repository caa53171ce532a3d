// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// The ear that was tested.
public enum HKAudiogramSensitivityTestSide: Int, Sendable {
  case left = 0
  case right = 1
}
