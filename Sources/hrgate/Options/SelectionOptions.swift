import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// The selected samples: a time range and a source.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Select only samples that start at this time or later, such as 2026-11-21 or 2026-11-21T06:00:00Z (default: all).",
      valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "Select only samples that start before this time, such as 2026-11-22 or 2026-11-21T07:00:00Z (default: all).",
      valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @OptionGroup var ofSource: SourceOption
  @OptionGroup var days: TimeZoneOption

  var source: String? { ofSource.source }
  /// The time of ``from``; `nil` if it is not given.
  var start: Date? { from?.date(in: days.zone) }
  /// The time of ``to``; `nil` if it is not given.
  var end: Date? { to?.date(in: days.zone) }

  func validate() throws { try expectOrder(start, end) }

  /// Returns the predicate.
  ///
  /// - Parameter options: How samples relate to the range; without options all that overlap it match.
  /// - Throws: ``CommandError`` if the store has no such source.
  func predicate(
    in store: HKHealthStore, options: HKQueryOptions = .strictStartDate
  ) async throws -> NSPredicate? {
    try await FiguresWindow(from: start, to: end, sources: sourcePredicate(in: store))
      .predicate(options)
  }

  /// Returns the source's part of the predicate; `nil` if no source was given.
  ///
  /// - Throws: ``CommandError`` if the store has no such source.
  func sourcePredicate(in store: HKHealthStore) async throws -> NSPredicate? {
    try await ofSource.predicate(in: store)
  }
}

/// The input of statistics: a time range, which clips samples, and a source.
struct FiguresOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use samples from this time on, such as 2026-11-21 (default: from the first one).", valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "Use samples up to this time, such as 2026-11-22 (default: to the last one).", valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @OptionGroup var ofSource: SourceOption
  @OptionGroup var days: TimeZoneOption

  private var start: Date? { from?.date(in: days.zone) }
  private var end: Date? { to?.date(in: days.zone) }

  func validate() throws { try expectOrder(start, end) }

  /// - Throws: ``CommandError`` if the store has no such source.
  func window(in store: HKHealthStore) async throws -> FiguresWindow {
    FiguresWindow(from: start, to: end, sources: try await ofSource.predicate(in: store))
  }
}

/// The source of the samples.
struct SourceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Select only samples that this app or device recorded: its name or bundle identifier, as 'hrgate sources' shows them (default: all).",
      valueName: "source"))
  var source: String?

  /// Returns the predicate; `nil` if no source was given.
  ///
  /// - Throws: ``CommandError`` if the store has no such source.
  func predicate(in store: HKHealthStore) async throws -> NSPredicate? {
    guard let source else { return nil }
    let known = try await SystemStore(store).sampleCounts().map(\.source)
    let matching = known.filter { $0.bundleIdentifier == source || $0.name == source }
    guard !matching.isEmpty else {
      throw CommandError("no stored sample is from \(source); list the apps and devices with: hrgate sources")
    }
    return HKQuery.predicateForObjects(from: Set(matching))
  }
}

private func expectOrder(_ from: Date?, _ to: Date?) throws {
  if let from, let to, to < from { throw ValidationError("--to is before --from.") }
}
