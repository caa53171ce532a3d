import ArgumentParser
import Foundation
import HealthKit

/// A day of the calendar on the command line: `1990-05-17`.
struct DayArgument: ExpressibleByArgument {
  var day: ActivityDay

  init(_ day: ActivityDay) { self.day = day }

  init?(argument: String) {
    let fields = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.map(\.utf8.count) == [4, 2, 2],
      argument.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }),
      let year = Int(fields[0]), let month = Int(fields[1]), let number = Int(fields[2]),
      let day = ActivityDay(year: year, month: month, day: number)
    else { return nil }
    self.day = day
  }

  var text: String {
    [(day.year, 4), (day.month, 2), (day.day, 2)].map { number, width in
      let digits = String(number)
      return String(repeating: "0", count: width - digits.utf8.count) + digits
    }.joined(separator: "-")
  }

  /// Where the user is.
  static var today: DayArgument? {
    let style = Date.ISO8601FormatStyle(timeZone: .current)
    return DayArgument(argument: Date.now.formatted(style.year().month().day()))
  }
}
