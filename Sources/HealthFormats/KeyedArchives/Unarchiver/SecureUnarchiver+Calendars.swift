internal import Foundation

extension SecureUnarchiver {
  /// The rules that the archive brings along are ignored: this system knows the zone by its name, or does
  /// not.
  func timeZone() throws(ArchiveError) -> NSTimeZone? {
    guard let name = try text(forKey: "NS.name"), Self.isIdentifier(name) else { return nil }
    return NSTimeZone(name: name)
  }

  func locale() throws(ArchiveError) -> NSLocale? {
    guard let name = try text(forKey: "NS.identifier"), name.isEmpty || Self.isIdentifier(name) else {
      return nil
    }
    return NSLocale(localeIdentifier: name)
  }

  func calendar() throws(ArchiveError) -> NSCalendar? {
    guard let name = try text(forKey: "NS.identifier"), Self.isIdentifier(name),
      let calendar = NSCalendar(identifier: NSCalendar.Identifier(name))
    else { return nil }
    let zone = try object(forKey: "NS.timezone", of: [NSTimeZone.self], as: NSTimeZone.self)
    if let zone { calendar.timeZone = zone as TimeZone }
    let locale = try object(forKey: "NS.locale", of: [NSLocale.self], as: NSLocale.self)
    if let locale { calendar.locale = locale as Locale }
    if let day = try requiredNumber(forKey: "NS.firstwkdy", \.int), 1...7 ~= day {
      calendar.firstWeekday = day
    }
    if let days = try requiredNumber(forKey: "NS.mindays", \.int), 1...7 ~= days {
      calendar.minimumDaysInFirstWeek = days
    }
    return calendar
  }

  func dateComponents() throws(ArchiveError) -> NSDateComponents? {
    let components = NSDateComponents()
    for (key, field) in Self.componentFields {
      if let value = try requiredNumber(forKey: key, \.int) { components[keyPath: field] = value }
    }
    if let isLeapMonth = try requiredNumber(forKey: "NS.isLeapMonth", \.bool) {
      components.isLeapMonth = isLeapMonth
    }
    let zone = try object(forKey: "NS.timezone", of: [NSTimeZone.self], as: NSTimeZone.self)
    if let zone { components.timeZone = zone as TimeZone }
    let calendar = try object(forKey: "NS.calendar", of: [NSCalendar.self], as: NSCalendar.self)
    if let calendar { components.calendar = calendar as Calendar }
    return components
  }

  private static var componentFields: [(String, ReferenceWritableKeyPath<NSDateComponents, Int>)] {
    [
      ("NS.era", \.era), ("NS.year", \.year), ("NS.month", \.month), ("NS.day", \.day), ("NS.hour", \.hour),
      ("NS.minute", \.minute), ("NS.second", \.second), ("NS.nanosec", \.nanosecond),
      ("NS.weekday", \.weekday), ("NS.weekdayOrdinal", \.weekdayOrdinal), ("NS.quarter", \.quarter),
      ("NS.weekOfMonth", \.weekOfMonth), ("NS.weekOfYear", \.weekOfYear),
      ("NS.yearForWOY", \.yearForWeekOfYear),
    ]
  }

  /// Names of zones and locales become paths of files, so only what such names are made of may be in one.
  private static func isIdentifier(_ name: String) -> Bool {
    1...64 ~= name.utf8.count && !name.hasPrefix("/")
      && name.utf8.allSatisfy { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "_-+/:@=;".utf8.contains(byte)
        }
      }
  }
}
