import ArgumentParser
import Foundation
import HealthKit
import HealthSystem

/// Which samples: a span of time and a source.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Samples that begin at this time or later.", valueName: "time"),
    transform: TimeArgument.read)
  var from: TimeArgument?
  @Option(
    help: ArgumentHelp("Samples that begin before this time.", valueName: "time"),
    transform: TimeArgument.read)
  var to: TimeArgument?
  @Option(
    help: ArgumentHelp("Samples of this source: its bundle identifier or its name.", valueName: "source"))
  var source: String?

  func validate() throws {
    if let from, let to, to.date < from.date { throw ValidationError("--to is before --from.") }
  }

  /// - Parameter options: Which samples are in the span; all that overlap it, where there are none.
  /// - Throws: ``Failure`` where the store knows no such source.
  func predicate(
    in store: HKHealthStore, options: HKQueryOptions = .strictStartDate
  ) async throws -> NSPredicate? {
    try await window(in: store).predicate(options)
  }

  /// The same for figures, of which the parts inside count.
  /// - Throws: ``Failure`` where the store knows no such source.
  func window(in store: HKHealthStore) async throws -> FiguresWindow {
    FiguresWindow(from: from?.date, to: to?.date, sources: try await sourcePredicate(in: store))
  }

  /// The part of it that is of the source; nil where none is named.
  /// - Throws: ``Failure`` where the store knows no such source.
  func sourcePredicate(in store: HKHealthStore) async throws -> NSPredicate? {
    guard let source else { return nil }
    return HKQuery.predicateForObjects(from: try await sources(named: source, in: store))
  }

  private func sources(named name: String, in store: HKHealthStore) async throws -> Set<HKSource> {
    let known = try await SystemStore(store).sampleCounts().map(\.source)
    let matching = known.filter { $0.bundleIdentifier == name || $0.name == name }
    guard !matching.isEmpty else { throw Failure("the store has no source \(name)") }
    return Set(matching)
  }
}
