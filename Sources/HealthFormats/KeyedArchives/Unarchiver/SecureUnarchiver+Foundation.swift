import Foundation

extension SecureUnarchiver {
  /// Creates a Foundation object from the values of the current object, without calling Foundation's
  /// `init(coder:)`.
  func foundationObject(_ known: FoundationClass, _ node: Int) throws(ArchiveError) -> DecodedObject {
    if known.isCollection { return try collection(known, node) }
    guard let object = try value(known, node) else { throw error(.refused(known.rawValue), node) }
    return DecodedObject(
      object: object, name: known.rawValue, classes: [known.type], visits: frames.last?.visits ?? 1)
  }

  private func value(_ known: FoundationClass, _ node: Int) throws(ArchiveError) -> NSObject? {
    switch known {
    case .string: try string().map { NSString(string: $0) }
    case .mutableString: try string().map { NSMutableString(string: $0) }
    case .data: try data().map { NSData(data: $0) }
    case .mutableData: try data().map { NSMutableData(data: $0) }
    case .date:
      try requiredNumber(forKey: "NS.time", \.real).map { seconds throws(ArchiveError) in
        try date(seconds, node)
      }
    case .uuid: try uuid()
    case .url: try url()
    case .null: NSNull()
    case .dateInterval: try dateInterval()
    case .dateComponents: try dateComponents()
    case .timeZone: try timeZone()
    case .calendar: try calendar()
    case .locale: try locale()
    default: nil
    }
  }

  private func string() throws(ArchiveError) -> String? {
    if let text = try text(forKey: "NS.string") { return text }
    return try bytes(forKey: "NS.bytes").flatMap { String(validating: $0, as: UTF8.self) }
  }

  private func data() throws(ArchiveError) -> Data? {
    if let data = try bytes(forKey: "NS.data") { return data }
    return try bytes(forKey: "NS.bytes")
  }

  private func uuid() throws(ArchiveError) -> NSUUID? {
    guard let bytes = try bytes(forKey: "NS.uuidbytes").map([UInt8].init), bytes.count == 16 else {
      return nil
    }
    return NSUUID(uuidBytes: bytes)
  }

  /// Decodes a URL through `URL`. `NSURL` accepts more strings than `URL`, and converting such an `NSURL` to
  /// `URL` would trap.
  private func url() throws(ArchiveError) -> NSURL? {
    let base = try object(forKey: "NS.base", of: [NSURL.self], as: NSURL.self)
    guard let relative = try text(forKey: "NS.relative"),
      let url = URL(string: relative, relativeTo: base as URL?),
      let archived = NSURL(string: relative, relativeTo: base as URL?),
      URL(string: archived.relativeString, relativeTo: base as URL?) == url,
      URL(string: archived.absoluteString) != nil
    else { return nil }
    return archived
  }

  /// Decodes a date interval. Returns nil for a negative duration, on which Foundation would trap.
  private func dateInterval() throws(ArchiveError) -> NSDateInterval? {
    guard let start = try object(forKey: "NS.startDate", of: [NSDate.self], as: NSDate.self) else {
      return nil
    }
    let end = try object(forKey: "NS.endDate", of: [NSDate.self], as: NSDate.self)
    let duration = try requiredNumber(forKey: "NS.duration", \.real) ?? end?.timeIntervalSince(start as Date)
    guard let duration, duration.isFinite, duration >= 0 else { return nil }
    return NSDateInterval(start: start as Date, duration: duration)
  }
}

extension SecureUnarchiver {
  /// Decodes a time zone by its name, ignoring the rules in the archive. Returns nil if the name is unknown.
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

  /// Returns whether a name is a valid identifier. Names of time zones and locales become part of file paths,
  /// so other characters are rejected.
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
