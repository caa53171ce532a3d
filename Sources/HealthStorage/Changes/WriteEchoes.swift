/// The schedule of queries for a commit after a write to the log.
///
/// The first tick comes 10 ms after the write; each interval is twice the one before. The last interval is 82
/// s, and ends nearly three minutes after the write. With ``CommitPriority/low``, the first interval is a
/// second.
struct WriteEchoes {
  private static let longest = Duration.seconds(82)

  private let first: Duration
  /// The interval before the next tick; nil after the last.
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
  /// - Returns: The time until the first tick; nil if that tick is already scheduled. It is never postponed,
  ///   because a log that is written continuously would then cause no tick.
  mutating func written() -> Duration? {
    defer { next = first }
    return next == first ? nil : first
  }

  /// Records a tick.
  ///
  /// - Returns: The time until the next tick; nil after the last, and for periodic ticks.
  mutating func ticked() -> Duration? {
    guard let echo = next else { return nil }
    next = echo * 2 <= Self.longest ? echo * 2 : nil
    return next
  }
}
