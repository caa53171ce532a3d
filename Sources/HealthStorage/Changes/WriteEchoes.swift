/// When to look for a commit after a write to the log: again and again, at growing distances.
///
/// The first echo comes 10 ms after the write, each other one after twice the time of the one before; the
/// last of them after 82 s, nearly three minutes after the write.
struct WriteEchoes {
  private static let first = Duration.milliseconds(10)
  private static let last = 13

  /// Which echo comes next; nil after the last.
  private var next: Int?

  /// The log was written to.
  ///
  /// - Returns: How long from now to the first echo; nil where that is on its way already. It is never put
  ///   off: a log written without a pause would otherwise have none.
  mutating func written() -> Duration? {
    defer { next = 0 }
    return next == 0 ? nil : Self.first
  }

  /// An echo has come.
  ///
  /// - Returns: How long from now to the next one; nil after the last, and where ticks come by the clock.
  mutating func ticked() -> Duration? {
    guard let echo = next else { return nil }
    next = echo < Self.last ? echo + 1 : nil
    return next.map { Self.first * (1 << $0) }
  }
}
