// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKElectrocardiogram {
  /// Whether the user reported symptoms with an electrocardiogram.
  public enum SymptomsStatus: Int, Sendable {
    case notSet = 0
    case none = 1
    case present = 2
  }
}
