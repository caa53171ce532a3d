package import Foundation
import HealthKit

/// ISO 8601 in UTC with microseconds, which is what the store keeps: `2026-11-21T06:09:00.123456Z`.
package enum SampleTime {
  package static func text(_ date: Date) -> String {
    text(microsecondsSince1970: Microseconds.clamped(date))
  }

  package static func text(microsecondsSince1970 microseconds: Int64) -> String {
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = fraction < 0 ? 1 : 0
    let whole = Date(timeIntervalSince1970: Double(seconds - borrow)).formatted(.iso8601).dropLast()
    let digits = String(fraction + borrow * 1_000_000)
    return whole + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
  }
}
