import ArgumentParser
import Foundation

/// The length argument for statistics: a whole number and `s`, `m`, `h`, or `d`, `w`, `mo` for calendar days,
/// weeks and months.
struct IntervalArgument: CheckedArgument {
  enum Unit: String, CaseIterable {
    case second = "s"
    case minute = "m"
    case hour = "h"
    case day = "d"
    case week = "w"
    case month = "mo"

    /// Length in seconds; the mean length for a month.
    var seconds: Double {
      switch self {
      case .second: 1
      case .minute: 60
      case .hour: 3600
      case .day: 86_400
      case .week: 604_800
      case .month: 2_629_746
      }
    }
  }

  let count: Int
  let unit: Unit

  init(count: Int, unit: Unit) {
    self.count = count
    self.unit = unit
  }

  init?(argument: String) {
    let digits = argument.prefix(while: \.isNumber)
    guard let unit = Unit(rawValue: String(argument.dropFirst(digits.count))), let count = Int(digits),
      count > 0, Double(count) <= 1e9 / unit.seconds
    else { return nil }
    self.init(count: count, unit: unit)
  }

  static func rule(for argument: String) -> String {
    "an interval is a whole number with s, m, h, d, w or mo, such as 90s, 10m, 1d, 1w or 1mo"
  }

  /// Length in seconds; the mean length for days, weeks and months.
  var seconds: Double { Double(count) * unit.seconds }

  /// Whether the length depends on the calendar: a day has 23 to 25 hours.
  var isOfCalendar: Bool { [.day, .week, .month].contains(unit) }

  func components(of calendar: Calendar) -> DateComponents {
    var components = DateComponents(calendar: calendar, timeZone: calendar.timeZone)
    switch unit {
    case .second, .minute, .hour: components.second = Int(seconds)
    case .day: components.day = count
    case .week: components.weekOfYear = count
    case .month: components.month = count
    }
    return components
  }

  /// Returns the start of the first interval: midnight of the day, or of the first day of the week or month,
  /// that contains a time.
  func anchor(before time: Date, in calendar: Calendar) -> Date {
    let component: Calendar.Component =
      switch unit {
      case .week: .weekOfYear
      case .month: .month
      default: .day
      }
    return calendar.dateInterval(of: component, for: time)?.start ?? calendar.startOfDay(for: time)
  }

  /// Returns the shortest common length that shows `seconds` in at most `columns` intervals.
  static func fitting(_ seconds: TimeInterval, columns: Int) -> IntervalArgument {
    let common: [(Int, Unit)] = [
      (1, .second), (2, .second), (5, .second), (10, .second), (30, .second), (1, .minute), (2, .minute),
      (5, .minute), (15, .minute), (1, .hour), (6, .hour), (1, .day),
    ]
    let fits = common.lazy.map(IntervalArgument.init).first { $0.seconds * Double(columns) >= seconds }
    return fits
      ?? IntervalArgument(count: max(1, Int(seconds / Unit.day.seconds / Double(columns)) + 1), unit: .day)
  }
}

extension IntervalArgument: CustomStringConvertible {
  var description: String { "\(count)\(unit.rawValue)" }
}

/// A duration argument: an ``IntervalArgument`` in `s`, `m`, `h` or `d`, where a day has 24 hours.
struct SpanArgument: CheckedArgument, CustomStringConvertible {
  private let interval: IntervalArgument

  init(count: Int, unit: IntervalArgument.Unit) { interval = IntervalArgument(count: count, unit: unit) }

  init?(argument: String) {
    guard let interval = IntervalArgument(argument: argument), ![.week, .month].contains(interval.unit) else {
      return nil
    }
    self.interval = interval
  }

  static func rule(for argument: String) -> String {
    "a duration is a whole number with s, m, h or d, such as 90s, 10m or 1d"
  }

  var seconds: Int { Int(interval.seconds) }
  var description: String { interval.description }
}
