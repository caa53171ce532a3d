// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

/// The version of the algorithm that classified an electrocardiogram: the value of
/// `HKMetadataKeyAppleECGAlgorithmVersion`.
public enum HKAppleECGAlgorithmVersion: Int, Sendable {
  case version1 = 1
  case version2 = 2
}
