// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKPHQ9Assessment {
  /// How severe the depression is that a PHQ-9 score points to.
  public enum Risk: Int, Sendable {
    case noneToMinimal = 1
    case mild = 2
    case moderate = 3
    case moderatelySevere = 4
    case severe = 5
  }
}
