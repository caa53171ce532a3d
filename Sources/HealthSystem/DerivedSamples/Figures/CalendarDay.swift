import Foundation
import HeartRateVariability

/// A day of the user's calendar. It has 23 or 25 hours if daylight saving time starts or ends on it.
struct CalendarDay: Hashable {
  /// The start in seconds since 1970.
  let start: Double
  /// The end in seconds since 1970.
  let end: Double
  /// The date in the proleptic Gregorian calendar, such as 2026-11-23.
  let name: String
  /// The identifier of the time zone.
  let zone: String

  /// The time in seconds for which a measured heart rate stays valid. A heart rate from before midnight can
  /// therefore count at the start of this day.
  static let hold = HeartRateSeries.usualHold

  /// Creates the day that contains an instant.
  init?(containing time: Double, in zone: TimeZone) {
    let calendar = Self.calendar(in: zone)
    guard let day = calendar.dateInterval(of: .day, for: Date(timeIntervalSince1970: time)) else {
      return nil
    }
    let parts = calendar.dateComponents([.year, .month, .day], from: day.start)
    guard let year = parts.year, let month = parts.month, let number = parts.day else { return nil }
    start = day.start.timeIntervalSince1970
    end = day.end.timeIntervalSince1970
    name = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(number, 2))"
    self.zone = zone.identifier
  }

  /// Returns the days from one instant to another, including the days of both.
  static func days(from start: Double, to end: Double, in zone: TimeZone) -> [CalendarDay] {
    var days: [CalendarDay] = []
    var next = start
    while let day = CalendarDay(containing: next, in: zone), day.start <= end, day.end > next {
      days.append(day)
      next = day.end
    }
    return days
  }

  private static func calendar(in zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension CalendarDay {
  /// The numbers of the day's whole minutes, starting at 0, as in `HeartRateMinutes`.
  var minutes: Range<Int> { 0..<max(Int((end - start) / HeartRateMinutes.minute), 0) }

  /// Returns the numbers of the minutes that overlap a period.
  /// - Parameters:
  ///   - from: The start, in seconds since 1970.
  ///   - to: The end, not before the start. It may be arbitrarily late.
  func minutes(from: Double, to: Double) -> Range<Int> {
    let (all, minute) = (minutes, HeartRateMinutes.minute)
    let first = min(max(((from - start) / minute).rounded(.down), 0), Double(all.upperBound))
    let last = min(max(((to - start) / minute).rounded(.down) + 1, first), Double(all.upperBound))
    return Int(first)..<Int(last)
  }

  /// Returns the period, in seconds since 1970, whose heart rates must be read for some minutes. It starts
  /// earlier than the minutes do, because an earlier heart rate may still be valid in them.
  func times(of minutes: Range<Int>) -> (from: Double, to: Double) {
    let begin = start + Double(minutes.lowerBound) * HeartRateMinutes.minute
    // Start one second earlier, so that rounding does not exclude a heart rate.
    return (begin - Self.hold - 1, start + Double(minutes.upperBound) * HeartRateMinutes.minute)
  }
}
