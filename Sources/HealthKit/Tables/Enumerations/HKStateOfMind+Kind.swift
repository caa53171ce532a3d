// Made from Data/enumerations.tsv by scripts/generate. Change the data, not this file.

extension HKStateOfMind {
  /// Over which time a state of mind was felt.
  public enum Kind: Int, Sendable {
    case momentaryEmotion = 1
    case dailyMood = 2
  }
}
