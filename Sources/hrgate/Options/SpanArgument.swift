import ArgumentParser
import Foundation

/// A length of time on the command line: a whole number and one of `s`, `m`, `h`, `d`.
struct SpanArgument: ExpressibleByArgument {
  enum Unit: Character, CaseIterable {
    case second = "s"
    case minute = "m"
    case hour = "h"
    case day = "d"

    var seconds: Int {
      switch self {
      case .second: 1
      case .minute: 60
      case .hour: 3600
      case .day: 86_400
      }
    }
  }

  var count: Int
  var unit: Unit

  init(count: Int, unit: Unit) {
    self.count = count
    self.unit = unit
  }

  init?(argument: String) {
    guard let unit = argument.last.flatMap(Unit.init), let count = Int(argument.dropLast()), count > 0,
      count <= 1_000_000_000 / unit.seconds
    else { return nil }
    self.init(count: count, unit: unit)
  }

  var seconds: Int { count * unit.seconds }

  var defaultValueDescription: String { "\(count)\(unit.rawValue)" }

  /// Always seconds: a calendar's day would begin at midnight where the machine stands, and not in UTC.
  var components: DateComponents { DateComponents(second: seconds) }
}
