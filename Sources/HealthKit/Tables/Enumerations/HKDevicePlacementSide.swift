// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// On which side of the body a device was worn.
public enum HKDevicePlacementSide: Int, Sendable {
  case unknown = 0
  case left = 1
  case right = 2
  case central = 3
}
