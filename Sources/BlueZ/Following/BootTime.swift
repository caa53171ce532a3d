import Bluetooth
import DBus

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

/// The time of receipt on both clocks, and the position in the sequence of bluetoothd's messages.
struct Receipt: Hashable, Sendable {
  var boot: BootTime
  var time: ReceiptTime
  /// `nil` for a value that did not arrive as a message.
  var place: SenderPlace?
}
