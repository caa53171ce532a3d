// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKStateOfMind {
  /// How pleasant a state of mind is.
  public enum ValenceClassification: Int, Sendable {
    case veryUnpleasant = 1
    case unpleasant = 2
    case slightlyUnpleasant = 3
    case neutral = 4
    case slightlyPleasant = 5
    case pleasant = 6
    case veryPleasant = 7
  }
}
