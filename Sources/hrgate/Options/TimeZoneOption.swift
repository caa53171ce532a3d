import ArgumentParser
import Foundation

/// The time zone for calendar days.
struct TimeZoneOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Days begin at midnight in this time zone, such as Europe/Berlin (default: this machine's).",
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
