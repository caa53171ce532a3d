import Foundation
import HeartRateVariability

/// A day of the user's calendar: of 23 hours or 25 where the clocks are changed.
struct CalendarDay: Hashable {
  /// Its beginning and end, in seconds since 1970.
  let start: Double
  let end: Double
  /// As in 2026-11-23, of the proleptic Gregorian calendar.
  let name: String
  /// Of the time zone whose day it is.
  let zone: String

  /// A heart rate from so many seconds before the day may still hold when it begins.
  static let hold = HeartRateSeries.usualHold

  /// The day in which an instant is.
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

  /// The days from one instant to another.
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
