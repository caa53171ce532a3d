// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// What an event of headphone sound told.
public enum HKCategoryValueHeadphoneAudioExposureEvent: Int, Sendable {
  case sevenDayLimit = 1
}
