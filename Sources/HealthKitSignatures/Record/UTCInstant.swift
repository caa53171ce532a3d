import Foundation
import HealthKit

/// A time in the years 1 to 9999 with microseconds, and its text as a DER `GeneralizedTime` (X.690 §11.7).
///
/// The text is in UTC with seconds. A fraction is present only if it is not 0, and has no trailing zeros:
/// `20250102030405.25Z`.
struct UTCInstant: Hashable, Comparable, Sendable {
  private static let second: Int64 = 1_000_000
  private static let secondsOfDay: Int64 = 86_400
  /// 0001-01-01 (inclusive) to 10000-01-01 (exclusive), in microseconds since 1970.
  private static let range: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000

  let microseconds: Int64
  /// Seconds since 1970, rounded down.
  var wholeSeconds: Int { Int(microseconds.flooredDivision(by: Self.second).quotient) }

  init?(microseconds: Int64) {
    guard Self.range.contains(microseconds) else { return nil }
    self.microseconds = microseconds
  }

  static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}

// MARK: - Text

extension UTCInstant {
  var text: String {
    let (seconds, micros) = microseconds.flooredDivision(by: Self.second)
    let (days, time) = seconds.flooredDivision(by: Self.secondsOfDay)
    let day = CivilDay(daysSince1970: days)
    var text = day.year.digits(4) + day.month.digits(2) + day.day.digits(2)
    text += (time / 3600).digits(2) + (time / 60 % 60).digits(2) + (time % 60).digits(2)
    guard micros > 0 else { return text + "Z" }
    var fraction = micros.digits(6)
    while fraction.last == "0" { fraction.removeLast() }
    return "\(text).\(fraction)Z"
  }

  /// Parses a text. Returns `nil` for any text that the property `text` would not produce, such as one with
  /// February 30, hour 24, or a trailing zero.
  init?(text: String) {
    let characters = Array(text.utf8)
    guard (15...22).contains(characters.count), let digits = Self.digits(of: characters) else { return nil }
    func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
    let day = CivilDay(year: number(0..<4), month: number(4..<6), day: number(6..<8))
    let time = number(8..<10) * 3600 + number(10..<12) * 60 + number(12..<14)
    let fraction = number(14..<20)
    self.init(microseconds: (day.daysSince1970 * Self.secondsOfDay + time) * Self.second + fraction)
    // An invalid date, such as February 30, is converted to a valid one, whose text differs.
    guard self.text == text else { return nil }
  }

  /// Returns the fourteen digits of the date and time, followed by six digits of the fraction.
  private static func digits(of characters: [UInt8]) -> [Int64]? {
    guard characters.last == UInt8(ascii: "Z") else { return nil }
    var fraction = characters[14...].dropLast()
    if let point = fraction.popFirst(), point != UInt8(ascii: ".") { return nil }
    let zeros = repeatElement(UInt8(ascii: "0"), count: 6 - min(fraction.count, 6))
    let digits = (characters[..<14] + fraction + zeros).map { Int64($0) - 0x30 }
    return digits.allSatisfy { (0...9).contains($0) } ? digits : nil
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  fileprivate func digits(_ count: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}

extension UTCInstant {
  /// Rounds a date to microseconds, as the store does.
  init?(_ date: Date) {
    guard let microseconds = Microseconds.of(date) else { return nil }
    self.init(microseconds: microseconds)
  }

  var date: Date { Microseconds.date(microseconds) }
}

/// A day of the proleptic Gregorian calendar. It is faster than Foundation's calendars, which also handle
/// time zones.
struct CivilDay {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  // For this computation a year begins in March, so that the leap day is its last day. All cycles of 400
  // years have the same number of days. 719,468 days lie between 0000-03-01 and 1970-01-01.

  /// Creates the day.
  ///
  /// - Parameter daysSince1970: A day in the years 0 to 9999.
  init(daysSince1970: Int64) {
    let days = daysSince1970 + 719_468
    let cycle = days / 146_097
    let dayOfCycle = days % 146_097
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970. A month or day that does not exist is counted from the start of the year
  /// or month: February 30 becomes March 1 or 2.
  var daysSince1970: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let cycle = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfCycle = marchYear - cycle * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
  }
}
