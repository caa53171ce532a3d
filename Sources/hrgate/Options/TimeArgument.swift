import ArgumentParser
import Foundation

/// A moment on the command line, in ISO 8601.
struct TimeArgument: CheckedArgument {
  var date: Date

  init?(argument: String) {
    guard let date = Timestamp.parse(argument) else { return nil }
    self.date = date
  }

  static func rule(for argument: String) -> String {
    "a time is written 2026-11-21T06:00:00Z, with its zone, or as a date in UTC, 2026-11-21"
  }
}
