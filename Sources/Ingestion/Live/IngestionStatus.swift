/// How a live run stands after it tried to commit.
public struct IngestionStatus: Sendable {
  /// The counts so far. Measurements that are held back are in `measurements`, and in the others only when it is decided what becomes
  /// of them.
  public var tally: IngestionTally
  /// Samples and gaps that were gathered and are not committed.
  public var heldBack: Int
  /// Why the store does not take them; `nil` where it does.
  public var failure: (any Error)?
}
