// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKElectrocardiogram {
  /// A lead of an electrocardiogram.
  public enum Lead: Int, Sendable {
    case appleWatchSimilarToLeadI = 1
  }
}
