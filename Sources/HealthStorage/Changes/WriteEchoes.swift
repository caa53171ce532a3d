/// When to look for a commit after a write to the log: again and again, at growing distances.
///
/// The first echo comes 10 ms after the write, each other one after twice the time of the one before; the
/// last of them after 82 s, nearly three minutes after the write. Whoever is in no haste has the first after
/// a second, and no others before it.
struct WriteEchoes {
  private static let longest = Duration.seconds(82)

  private let first: Duration
  /// What lies between the echo that comes next and the one before; nil after the last.
  private var next: Duration?

  init(_ haste: CommitHaste = .prompt) {
    first =
      switch haste {
      case .prompt: .milliseconds(10)
      case .leisurely: .seconds(1)
      }
  }

  /// The log was written to.
  ///
  /// - Returns: How long from now to the first echo; nil where that is on its way already. It is never put
  ///   off: a log written without a pause would otherwise have none.
  mutating func written() -> Duration? {
    defer { next = first }
    return next == first ? nil : first
  }

  /// An echo has come.
  ///
  /// - Returns: How long from now to the next one; nil after the last, and where ticks come by the clock.
  mutating func ticked() -> Duration? {
    guard let echo = next else { return nil }
    next = echo * 2 <= Self.longest ? echo * 2 : nil
    return next
  }
}
