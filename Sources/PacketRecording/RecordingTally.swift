/// What became of a recording.
public struct RecordingTally: Hashable, Sendable {
  /// Messages that were read from the channel.
  public var seen = 0
  /// Records that were written; what each file after the first begins with is not counted.
  public var recorded = 0
  /// Packets that the kernel had no room for.
  public var dropped: UInt32 = 0
  public var files = 1

  public init() {}
}
