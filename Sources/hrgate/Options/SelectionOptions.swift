import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// The selected samples: a time range and a source.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Samples that begin at this time or later.", valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp("Samples that begin before this time.", valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @OptionGroup var ofSource: SourceOption
  @OptionGroup var days: TimeZoneOption

  var source: String? { ofSource.source }
  /// The time of ``from``; `nil` if there is none.
  var start: Date? { from?.date(in: days.zone) }
  /// The time of ``to``; `nil` if there is none.
  var end: Date? { to?.date(in: days.zone) }

  func validate() throws { try expectOrder(start, end) }

  /// Returns the predicate.
  ///
  /// - Parameter options: How samples relate to the range; without options all that overlap it match.
  /// - Throws: ``Failure`` if the store has no such source.
  func predicate(
    in store: HKHealthStore, options: HKQueryOptions = .strictStartDate
  ) async throws -> NSPredicate? {
    try await FiguresWindow(from: start, to: end, sources: sourcePredicate(in: store))
      .predicate(options)
  }

  /// Returns the source's part of the predicate; `nil` if no source was given.
  ///
  /// - Throws: ``Failure`` if the store has no such source.
  func sourcePredicate(in store: HKHealthStore) async throws -> NSPredicate? {
    try await ofSource.predicate(in: store)
  }
}

/// The input of statistics: a time range, which clips samples, and a source.
struct FiguresOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Start of the time range.", valueName: "time"), transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp("End of the time range.", valueName: "time"), transform: TimeArgument.read)
  var to: TimeArgument?
  @OptionGroup var ofSource: SourceOption
  @OptionGroup var days: TimeZoneOption

  private var start: Date? { from?.date(in: days.zone) }
  private var end: Date? { to?.date(in: days.zone) }

  func validate() throws { try expectOrder(start, end) }

  /// - Throws: ``Failure`` if the store has no such source.
  func window(in store: HKHealthStore) async throws -> FiguresWindow {
    FiguresWindow(from: start, to: end, sources: try await ofSource.predicate(in: store))
  }
}

/// The source of the samples.
struct SourceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only samples of this source (bundle identifier or name).", valueName: "source"))
  var source: String?

  /// Returns the predicate; `nil` if no source was given.
  ///
  /// - Throws: ``Failure`` if the store has no such source.
  func predicate(in store: HKHealthStore) async throws -> NSPredicate? {
    guard let source else { return nil }
    let known = try await SystemStore(store).sampleCounts().map(\.source)
    let matching = known.filter { $0.bundleIdentifier == source || $0.name == source }
    guard !matching.isEmpty else { throw Failure("the store has no source \(source)") }
    return HKQuery.predicateForObjects(from: Set(matching))
  }
}

private func expectOrder(_ from: Date?, _ to: Date?) throws {
  if let from, let to, to < from { throw ValidationError("--to is before --from.") }
}
