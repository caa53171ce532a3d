import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// A calendar day argument: `1990-05-17`.
struct DayArgument: CheckedArgument {
  var day: ActivityDay

  init(_ day: ActivityDay) { self.day = day }

  init?(argument: String) {
    guard let day = ActivityDay(text: argument) else { return nil }
    self.day = day
  }

  static func rule(for argument: String) -> String {
    "a day looks like 2026-11-21"
  }

  var text: String { day.text }

  /// Today in the local time zone.
  static var today: DayArgument? {
    let style = Date.ISO8601FormatStyle(timeZone: .current)
    return DayArgument(argument: Date.now.formatted(style.year().month().day()))
  }
}

/// The time zone for calendar days.
struct TimeZoneOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Time zone in which a day such as 2026-11-21 starts at midnight, for example Europe/Berlin (default: this machine's).",
      valueName: "zone"), transform: TimeZoneOption.read)
  var timeZone: TimeZone?

  /// The given zone, or the local one.
  var zone: TimeZone { timeZone ?? .current }

  private static func read(_ name: String) throws -> TimeZone {
    guard let zone = TimeZone(identifier: name) else {
      throw ValidationError("there is no time zone \(name.plain); give one such as Europe/Berlin or UTC")
    }
    return zone
  }
}
