package import Foundation
import HealthKit

/// Converts times to and from text: ISO 8601 in UTC with microseconds, the precision of the store, such as
/// `2026-11-21T06:09:00.123456Z`.
package enum Timestamp {
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

  /// Parses an ISO 8601 date and time with an offset from UTC. Seconds and their fraction are optional.
  package static func parse(_ text: String) -> Date? {
    let text = withSeconds(text)
    guard text.utf8.count > 19, isOnCalendar(text) else { return nil }
    guard let point = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
    let digits = text[text.index(after: point)...].prefix(while: \.isNumber)
    guard (1...9).contains(digits.utf8.count), let fraction = Double("0.\(digits)"),
      let whole = try? Date(text[..<point] + text[digits.endIndex...], strategy: .iso8601)
    else { return nil }
    return whole.addingTimeInterval(fraction)
  }

  /// Adds missing seconds, because Foundation does not parse a time without them.
  private static func withSeconds(_ text: String) -> String {
    guard text.count > 16, let next = text.dropFirst(16).first, "Z+-".contains(next) else { return text }
    return text.prefix(16) + ":00" + text.dropFirst(16)
  }

  /// Returns whether the date and time exist. Foundation does not check this: it parses February 30 as March
  /// 2, and hour 25 as 1 a.m. of the next day.
  private static func isOnCalendar(_ text: String) -> Bool {
    let fields = text.prefix(19).split { !$0.isNumber }.map { Int($0) ?? -1 }
    guard fields.count >= 3 else { return false }
    if fields.count >= 4, fields[3] > 23 { return false }
    if fields.count >= 6, fields[4] > 59 || fields[5] > 59 { return false }
    guard let midnight = try? Date(text.prefix(10) + "T00:00:00Z", strategy: .iso8601) else { return false }
    return midnight.formatted(.iso8601).prefix(10) == text.prefix(10)
  }
}

/// A text that is not an ISO 8601 time.
package struct TimestampError: Error, CustomStringConvertible {
  package var description: String { "a time is written 2026-11-21T06:09:00.123456Z" }
}
