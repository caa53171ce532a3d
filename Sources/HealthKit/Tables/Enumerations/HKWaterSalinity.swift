// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// The water that was swum in: the value of `HKMetadataKeyWaterSalinity`.
public enum HKWaterSalinity: Int, Sendable {
  case freshWater = 1
  case saltWater = 2
}
