import Bluetooth
import DBus

/// A time on the boot clock (CLOCK_BOOTTIME), which cannot be set and which keeps running while the machine
/// sleeps.
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

  /// Returns the time from `rhs` to `lhs`; zero if `lhs` is earlier than `rhs`.
  package static func - (lhs: Self, rhs: Self) -> Duration {
    .nanoseconds(lhs.nanoseconds > rhs.nanoseconds ? Int64(clamping: lhs.nanoseconds - rhs.nanoseconds) : 0)
  }
}

/// When an input of ``FollowingMachine`` was received: its time on the boot clock and the receipt clock, and
/// its position in the sequence of bluetoothd's messages.
struct Receipt: Hashable, Sendable {
  var boot: BootTime
  var time: ReceiptTime
  /// `nil` for an input that was not a D-Bus message.
  var senderPosition: SenderPosition?
}
