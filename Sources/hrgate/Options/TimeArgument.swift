import ArgumentParser
import Foundation

/// A moment on the command line, in ISO 8601.
struct TimeArgument: ExpressibleByArgument {
  var date: Date

  init?(argument: String) {
    guard let date = Timestamp.parse(argument) else { return nil }
    self.date = date
  }
}
