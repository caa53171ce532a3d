/// What is in doubt about a notification that is handed on all the same.
public struct FrameMarks: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It may be a copy of the one before it, made for another program, or a repetition on the air: the source
  /// cannot tell.
  public static let mayBeCopy = FrameMarks(rawValue: 1)
  /// It was queued on its way to this host's clock. Its receipt time is an estimate from those around it, or
  /// when the clock went on if that was paused.
  public static let delayed = FrameMarks(rawValue: 2)
  /// The source holds only the beginning of the frame: what is there of it is exact, and its intervals are
  /// missing. Not among ``names``: the heart rate of such a frame is like any other.
  public static let truncated = FrameMarks(rawValue: 4)

  private static let all: [(mark: FrameMarks, name: String)] = [
    (.mayBeCopy, "mayBeCopy"), (.delayed, "delayed"),
  ]

  /// The names of the marks: of the counts of a run, and after `org.hrgate.` the keys of a sample's metadata,
  /// where each is true. They are stored and do not change.
  public var names: [String] {
    isEmpty ? [] : Self.all.filter { contains($0.mark) }.map(\.name)
  }
}
