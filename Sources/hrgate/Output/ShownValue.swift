import Bluetooth
import HealthKit

/// Formats a count with its noun: `1 measurement`, `2 measurements`.
enum Counted {
  static func text(_ count: Int, _ one: String, _ several: String? = nil) -> String {
    "\(count) \(count == 1 ? one : several ?? one + "s")"
  }
}

/// Converts values for display with their unit.
enum ShownValue {
  /// Returns the value to display. A percentage, which is a fraction from 0 to 1 in HealthKit and `--json`,
  /// is converted to the range from 0 to 100.
  static func of(_ value: Double, _ unit: String) -> Double {
    guard unit == HKUnit.percent().unitString else { return value }
    // Remove rounding errors of the multiplication.
    return (value * 1e11).rounded() / 1e9
  }
}

/// Formats an age for a table column: `4 s`, `12 min`, `30 h`, `3 d`.
enum Age {
  /// - Parameter seconds: The age. Negative values, as after a clock step back, count as 0.
  static func text(seconds: Int64) -> String {
    switch max(0, seconds) {
    case let seconds where seconds < 60: "\(seconds) s"
    case let seconds where seconds < 3600: "\(seconds / 60) min"
    case let seconds where seconds < 48 * 3600: "\(seconds / 3600) h"
    case let seconds: "\(seconds / 86_400) d"
    }
  }

  /// Returns the age of received data.
  ///
  /// The wall clock gives the time from receipt to the report by the gateway. The monotonic clock gives the
  /// time since then, so that a step of the wall clock does not make an old value look new.
  static func seconds(of received: ReceiptTime, emitted: SystemClocks, now: SystemClocks) -> Int64 {
    let delay = max(0, emitted.wall.microseconds(since: received)) / 1_000_000
    let since = now.boottimeNanoseconds - min(emitted.boottimeNanoseconds, now.boottimeNanoseconds)
    return delay + Int64(since / 1_000_000_000)
  }
}
