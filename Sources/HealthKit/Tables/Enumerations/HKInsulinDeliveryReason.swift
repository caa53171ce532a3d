// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// Why insulin was delivered: the value of `HKMetadataKeyInsulinDeliveryReason`.
public enum HKInsulinDeliveryReason: Int, Sendable {
  case basal = 1
  case bolus = 2
}
