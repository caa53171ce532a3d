import Foundation

/// The field Retry-After (RFC 9110, 10.2.3): seconds, or a time.
enum RetryAfter {
  /// - Parameters:
  ///   - date: the answer's own Date. A time is one of the server's clock, and the two may differ.
  ///   - now: where the answer has no Date
  /// - Returns: at most a day: a server that asks for more may change its mind.
  static func wait(_ field: String?, date: String?, now: Date = Date()) -> Duration? {
    guard let field = field?.trimmingCharacters(in: .whitespaces), !field.isEmpty else { return nil }
    if field.allSatisfy({ $0.isASCII && $0.isNumber }) {
      return .seconds(min(Int(field) ?? .max, 86_400))
    }
    guard let time = httpDate(field) else { return nil }
    let asked = time.timeIntervalSince(date.flatMap(httpDate) ?? now)
    return .seconds(min(max(asked, 0), 86_400))
  }

  /// In the three forms that a recipient must read (RFC 9110, 5.6.7).
  static func httpDate(_ text: String) -> Date? {
    let words = text.split { " ,-".contains($0) }.map(String.init)
    guard words.count >= 5 else { return nil }
    // Sun Nov  6 08:49:37 1994; else Sun, 06 Nov 1994 08:49:37 GMT or Sunday, 06-Nov-94 08:49:37 GMT
    let isOfC = words[3].contains(":")
    let (day, month, year, time) =
      isOfC ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
    let clock = time.split(separator: ":").compactMap { Int($0) }
    guard let day = Int(day), let month = months.firstIndex(of: month), var full = Int(year),
      clock.count == 3,
      (1...31).contains(day), (0...23).contains(clock[0]), (0...59).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    // Two digits are of this century, but for what would lie far ahead.
    if year.utf8.count == 2 { full += full < 77 ? 2000 : 1900 }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    return calendar.date(
      from: DateComponents(
        year: full, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2]))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
