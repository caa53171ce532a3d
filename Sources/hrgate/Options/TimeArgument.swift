import ArgumentParser
import Foundation
import HealthDataSync

/// A time argument: an instant with its UTC offset, or a calendar day, which begins at midnight in a time
/// zone.
struct TimeArgument: CheckedArgument {
  private enum Value {
    case instant(Date)
    case day(DateComponents)
  }

  private let value: Value

  init?(argument: String) {
    if let instant = Timestamp.parse(argument) {
      value = .instant(instant)
    } else if argument.utf8.count == 10, Timestamp.parse(argument + "T00:00Z") != nil {
      let fields = argument.split(separator: "-").map { Int($0) }
      guard fields.count == 3 else { return nil }
      value = .day(DateComponents(year: fields[0], month: fields[1], day: fields[2]))
    } else {
      return nil
    }
  }

  static func rule(for argument: String) -> String {
    "a time looks like 2026-11-21T06:00:00Z or 2026-11-21T07:00+01:00, with its offset from UTC; or like "
      + "2026-11-21 for local midnight"
  }

  /// The instant; for a day, midnight in the local time zone.
  var date: Date { date(in: .current) }

  /// Returns the instant; for a day, its first moment in a time zone.
  func date(in zone: TimeZone) -> Date {
    switch value {
    case .instant(let instant): return instant
    case .day(let day):
      let calendar = Calendar.gregorian(in: zone)
      // Every day has noon. Midnight is missing on days when clocks go forward at midnight.
      var noon = day
      noon.hour = 12
      return calendar.date(from: noon).map(calendar.startOfDay) ?? .distantPast
    }
  }
}

extension Calendar {
  /// Returns the ISO 8601 calendar, whose weeks begin on Monday.
  static func gregorian(in zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = zone
    return calendar
  }

  /// Returns a date such as 2026-11-21.
  func dayText(of date: Date) -> String {
    let parts = dateComponents([.year, .month, .day], from: date)
    func padded(_ number: Int?, _ width: Int) -> String {
      let digits = String(number ?? 0)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
  }
}
