// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What an event of environmental sound told.
public enum HKCategoryValueEnvironmentalAudioExposureEvent: Int, Sendable {
  case momentaryLimit = 1
}
