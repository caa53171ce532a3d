/// What holds where nothing else is said.
public struct Constants {
  /// How many changes are synchronised at once.
  public static let defaultBatchSize = 25
}
