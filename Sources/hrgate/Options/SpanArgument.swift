import ArgumentParser
import Foundation

/// A length of time on the command line: a whole number and one of `s`, `m`, `h`, `d`.
struct SpanArgument: CheckedArgument {
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

  static func rule(for argument: String) -> String {
    "a length of time is a whole number with s, m, h or d behind it: 90s, 10m, 1d"
  }

  var seconds: Int { count * unit.seconds }
}

extension SpanArgument: CustomStringConvertible {
  var description: String { "\(count)\(unit.rawValue)" }
}
