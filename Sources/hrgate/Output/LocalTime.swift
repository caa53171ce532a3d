import Foundation

/// Formats times in a time zone.
struct LocalTime {
  var zone: TimeZone

  /// Returns a time such as `14:25:59`.
  func clock(_ time: Date) -> String {
    let parts = parts(time)
    return [parts.hour, parts.minute, parts.second].map { Self.digits($0) }.joined(separator: ":")
  }

  /// Returns a time such as `14:25:59`, or `11-21 14:25` if it is not on the day of `now`.
  func moment(_ time: Date, now: Date) -> String {
    let (parts, today) = (parts(time), self.parts(now))
    guard (parts.year, parts.month, parts.day) != (today.year, today.month, today.day) else {
      return clock(time)
    }
    return "\(Self.digits(parts.month))-\(Self.digits(parts.day)) "
      + "\(Self.digits(parts.hour)):\(Self.digits(parts.minute))"
  }

  /// Returns the abbreviation of the zone: `CET`, `GMT+5:30`.
  func zoneName(at time: Date) -> String { zone.abbreviation(for: time) ?? zone.identifier }

  private func parts(_ time: Date) -> DateComponents {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: time)
  }

  private static func digits(_ number: Int?) -> String {
    let digits = String(number ?? 0)
    return digits.count < 2 ? "0" + digits : digits
  }
}
