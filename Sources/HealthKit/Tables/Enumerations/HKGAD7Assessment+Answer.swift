// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKGAD7Assessment {
  /// An answer to a question of the GAD-7: how often in the last two weeks.
  public enum Answer: Int, Sendable {
    case notAtAll = 0
    case severalDays = 1
    case moreThanHalfTheDays = 2
    case nearlyEveryDay = 3
  }
}
