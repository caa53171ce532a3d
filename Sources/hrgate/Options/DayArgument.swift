import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// A day of the calendar on the command line: `1990-05-17`.
struct DayArgument: ExpressibleByArgument {
  var day: ActivityDay

  init(_ day: ActivityDay) { self.day = day }

  init?(argument: String) {
    guard let day = ActivityDay(text: argument) else { return nil }
    self.day = day
  }

  var text: String { day.text }

  /// Where the user is.
  static var today: DayArgument? {
    let style = Date.ISO8601FormatStyle(timeZone: .current)
    return DayArgument(argument: Date.now.formatted(style.year().month().day()))
  }
}
