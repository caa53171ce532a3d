import Foundation

/// Parses and formats the times in an export: `2020-01-02 03:04:05 +0100`.
enum ExportTime {
  /// Parses a time.
  ///
  /// - Returns: Microseconds since 1970; `nil` if the text is not a time.
  static func parse(_ text: String) -> Int64? {
    var text = DecimalDigits.ascii(text)
    return text.withUTF8 { parse($0) }
  }

  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard bytes.count == 25, bytes[4] == dash, bytes[7] == dash, bytes[10] == space, bytes[13] == colon,
      bytes[16] == colon, bytes[19] == space, bytes[20] == plus || bytes[20] == dash,
      let year = number(bytes, 0..<4), let month = number(bytes, 5..<7), let day = number(bytes, 8..<10),
      let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16),
      let second = number(bytes, 17..<19),
      let zoneHour = number(bytes, 21..<23), let zoneMinute = number(bytes, 23..<25),
      (1...12).contains(month), day >= 1, day <= length(of: month, year), hour < 24, minute < 60, second < 60,
      zoneHour <= 18, zoneMinute < 60
    else { return nil }
    let zone = (zoneHour * 3600 + zoneMinute * 60) * (bytes[20] == dash ? -1 : 1)
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - zone
    return Int64(seconds) * 1_000_000
  }

  /// Formats a time in whole seconds.
  ///
  /// - Parameter zone: Seconds east of Greenwich.
  static func text(_ microseconds: Int64, zone: Int) -> String {
    let (day, second) = local(microseconds, zone: zone)
    let (year, month, date) = calendar(day)
    let sign = zone < 0 ? "-" : "+"
    let offset = abs(zone) / 60
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(date, 2)) "
      + "\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2)) "
      + "\(sign)\(digits(offset / 60, 2))\(digits(offset % 60, 2))"
  }

  /// Returns the microseconds that exceed whole seconds, which the text of a time does not contain.
  static func fraction(_ microseconds: Int64) -> Int64 {
    let rest = microseconds % 1_000_000
    return rest < 0 ? rest + 1_000_000 : rest
  }

  /// Returns the UTC offset of a text, in seconds east of Greenwich.
  static func zone(_ text: String) -> Int? {
    let end = Array(DecimalDigits.ascii(text).utf8.suffix(5))
    guard parse(text) != nil, let hours = Int(String(decoding: end[1...2], as: UTF8.self)),
      let minutes = Int(String(decoding: end[3...4], as: UTF8.self))
    else { return nil }
    return (hours * 3600 + minutes * 60) * (end[0] == dash ? -1 : 1)
  }

  /// Returns the number of the local day since 1970, and the second of that day.
  static func local(_ microseconds: Int64, zone: Int) -> (day: Int, second: Int) {
    let seconds = Int((microseconds - fraction(microseconds)) / 1_000_000) + zone
    let day = seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
    return (day, seconds - day * 86_400)
  }

  // MARK: - Digits

  static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    var number = 0
    for index in range {
      guard (0x30...0x39).contains(bytes[index]) else { return nil }
      number = number * 10 + Int(bytes[index] - 0x30)
    }
    return number
  }

  private static let (dash, plus, colon, space) = (
    UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: " ")
  )

  // MARK: - The Gregorian calendar

  private static func length(of month: Int, _ year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the number of days since 1970. Counts years from March, so that the leap day is the last day of
  /// a year.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func calendar(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let day = day + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}
