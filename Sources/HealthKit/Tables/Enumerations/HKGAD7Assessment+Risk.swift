// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKGAD7Assessment {
  /// How severe the anxiety is that a GAD-7 score points to.
  public enum Risk: Int, Sendable {
    case noneToMinimal = 1
    case mild = 2
    case moderate = 3
    case severe = 4
  }
}
