// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What an audio exposure event told.
public enum HKCategoryValueAudioExposureEvent: Int, Sendable {
  case loudEnvironment = 1
}
