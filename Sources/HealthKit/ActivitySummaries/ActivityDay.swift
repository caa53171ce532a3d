import Foundation

/// A day of the Gregorian calendar, independent of time zones.
package struct ActivityDay: Hashable, Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  /// Creates a day of the Common Era. Returns nil if the day does not exist, such as February 30.
  package init?(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
    guard (1...9999).contains(year), noon(in: .gmt) != nil else { return nil }
  }

  /// Returns the era, year, month and day of this day in a calendar, with the calendar attached.
  func dateComponents(in calendar: Calendar) -> DateComponents {
    guard let noon = noon(in: calendar.timeZone) else { return DateComponents(calendar: calendar) }
    var components = calendar.dateComponents([.era, .year, .month, .day], from: noon)
    components.calendar = calendar
    return components
  }

  /// Returns noon of the day. Noon is within this day in every calendar, even if the calendar's days start in
  /// the evening.
  private func noon(in zone: TimeZone) -> Date? {
    var gregorian = Calendar(identifier: .gregorian)
    gregorian.timeZone = zone
    let noon = DateComponents(calendar: gregorian, era: 1, year: year, month: month, day: day, hour: 12)
    return noon.isValidDate ? noon.date : nil
  }
}

extension ActivityDay: Comparable {
  package static func < (left: ActivityDay, right: ActivityDay) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension ActivityDay {
  /// Creates the day that date components specify in their calendar.
  /// - Throws: `HKValidationError` if the components have no calendar or do not specify a day.
  init(_ components: DateComponents) throws(HKValidationError) {
    guard let calendar = components.calendar else {
      throw HKValidationError(.invalidArgument, "the date components have no calendar")
    }
    var gregorian = Calendar(identifier: .gregorian)
    gregorian.timeZone = components.timeZone ?? calendar.timeZone
    guard components.day != nil, let date = calendar.date(from: components) else {
      throw HKValidationError(.invalidArgument, "the date components do not specify a day")
    }
    let parts = gregorian.dateComponents([.era, .year, .month, .day], from: date)
    guard parts.era == 1, let year = parts.year, let month = parts.month, let number = parts.day,
      let day = ActivityDay(year: year, month: month, day: number)
    else { throw HKValidationError(.invalidArgument, "the date components do not specify a day") }
    self = day
  }
}

// MARK: - Archiving

extension ActivityDay {
  func encode(with coder: NSCoder) {
    coder.encode(year, forKey: ArchiveKey.year)
    coder.encode(month, forKey: ArchiveKey.month)
    coder.encode(day, forKey: ArchiveKey.day)
  }

  init?(coder: NSCoder) {
    guard let year = coder.integer(forKey: ArchiveKey.year),
      let month = coder.integer(forKey: ArchiveKey.month), let day = coder.integer(forKey: ArchiveKey.day)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private enum ArchiveKey {
    static let year = "year"
    static let month = "month"
    static let day = "day"
  }
}
