/// Determines when to look for a commit after a write to the log.
///
/// The first check is 10 ms after the write, or a second with ``CommitPriority/low``. The intervals double up
/// to 82 s; the last check is nearly three minutes after the write.
struct WriteEchoes {
  private static let longest = Duration.seconds(82)

  private let first: Duration
  /// The current interval; `nil` after the last.
  private var next: Duration?

  init(_ priority: CommitPriority = .prompt) {
    first =
      switch priority {
      case .prompt: .milliseconds(10)
      case .low: .seconds(1)
      }
  }

  /// Records a write to the log.
  ///
  /// - Returns: The first interval; `nil` if an interval is already running. It is not restarted, because
  ///   under continuous writes it would never end.
  mutating func written() -> Duration? {
    defer { next = first }
    return next == first ? nil : first
  }

  /// Records that an interval has ended.
  ///
  /// - Returns: The next interval; `nil` after the last one.
  mutating func ticked() -> Duration? {
    guard let echo = next else { return nil }
    next = echo * 2 <= Self.longest ? echo * 2 : nil
    return next
  }
}
