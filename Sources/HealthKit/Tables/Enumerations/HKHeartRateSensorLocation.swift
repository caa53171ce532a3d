// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Where a heart-rate sensor is worn: the value of `HKMetadataKeyHeartRateSensorLocation`. The numbers are
/// those of the Body Sensor Location characteristic (0x2A38).
public enum HKHeartRateSensorLocation: Int, Sendable {
  case other = 0
  case chest = 1
  case wrist = 2
  case finger = 3
  case hand = 4
  case earLobe = 5
  case foot = 6
}
