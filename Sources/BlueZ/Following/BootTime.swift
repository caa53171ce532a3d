/// A time on the clock that cannot be set and that continues while the machine sleeps (CLOCK_BOOTTIME).
package struct BootTime: Hashable, Comparable, Sendable {
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static let distantFuture = BootTime(nanoseconds: .max)

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  package static func + (lhs: Self, rhs: Duration) -> Self {
    let (seconds, attoseconds) = rhs.components
    return Self(
      nanoseconds: lhs.nanoseconds &+ UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
  }

  /// Returns the time from `rhs` to `lhs`; zero if `lhs` is earlier.
  package static func - (lhs: Self, rhs: Self) -> Duration {
    .nanoseconds(lhs.nanoseconds > rhs.nanoseconds ? Int64(clamping: lhs.nanoseconds - rhs.nanoseconds) : 0)
  }
}
