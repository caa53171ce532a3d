/// A month of UTC, for which there is a partition of its own.
///
/// Months from 2000 to 2099 have one each, made when a sample needs it. What lies before and after, as from
/// a clock that was never set or a time in the distant future, goes into one partition on either side: such
/// times come in any number, and a partition for each would stop the server. There is no default partition,
/// which would have to be searched, under a lock, for each one that is made.
struct Month: Hashable, Comparable {
  /// Since year 0.
  private let number: Int

  private static let first = Month(year: 2000, month: 1)
  private static let last = Month(year: 2099, month: 12)

  private init(year: Int, month: Int) {
    number = year * 12 + month - 1
  }

  private init(number: Int) {
    self.number = number
  }

  /// The month that a time lies in; nil where no month has a partition of its own.
  /// - Parameter time: microseconds since 1970.
  init?(of time: Int64) {
    guard Self.first.start <= time, time < Self.last.next.start else { return nil }
    // Days since 1970 to a date of the Gregorian calendar, whose years are counted from March here.
    let days = Int(time / Self.day) + 719_468
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + days / 146_097 * 400 + (fromMarch >= 10 ? 1 : 0)
    self.init(year: year, month: fromMarch >= 10 ? fromMarch - 9 : fromMarch + 3)
  }

  /// Whether a time is within a day of where one month ends and the next begins.
  static func isNearBorder(_ time: Int64) -> Bool {
    Month(of: time - day) != Month(of: time + day)
  }

  var year: Int { number / 12 }
  /// From 1.
  var month: Int { number % 12 + 1 }
  var next: Month { Month(number: number + 1) }

  /// Microseconds since 1970.
  var start: Int64 {
    let year = Int64(month <= 2 ? self.year - 1 : self.year)
    let fromMarch = Int64((month + 9) % 12)
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * fromMarch + 2) / 5 - 719_468
    return days * Self.day
  }

  private static let day: Int64 = 86_400_000_000

  static func < (left: Month, right: Month) -> Bool { left.number < right.number }

  /// As in the names of partitions: 2026_11.
  var suffix: String { "\(year)_\(month < 10 ? "0" : "")\(month)" }

  /// For SQL: the first moment.
  var literal: String { "'\(year)-\(month < 10 ? "0" : "")\(month)-01 00:00:00+00'" }
}
