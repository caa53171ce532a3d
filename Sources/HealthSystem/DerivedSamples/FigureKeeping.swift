import HealthKit
import HealthStorage

/// Makes the store say what it should: new figures are saved, others replaced, and those that cannot be had
/// any more deleted. What is right stays as it is, so that nobody who follows the store hears of it.
struct FigureKeeping {
  /// Saves as the source of the figures.
  private let store: HKHealthStore

  init(_ store: HKHealthStore) { self.store = store.acting(as: DerivedSource.source) }

  /// - Parameters:
  ///   - figures: All that there should be of the times that were looked at.
  ///   - stored: All that there are of these times, by sync identifier.
  ///   - position: Where the change log ended before the beats were read. It is the version of a figure: of
  ///     two programs that derive at once, the one that has seen more is believed.
  func keep(
    _ figures: [DerivedFigure], inPlaceOf stored: [String: HKQuantitySample], asOf position: Int64
  ) async throws -> DerivationTally {
    var tally = DerivationTally()
    var samples: [HKQuantitySample] = []
    for figure in figures {
      let old = stored[figure.syncIdentifier]
      if let old, try figure.isStored(as: old) {
        tally.unchanged += 1
      } else {
        // A store that was restored, or filled from another one's export, may have greater versions.
        samples.append(try figure.sample(version: max(position, (old?.syncVersion ?? 0) + 1)))
      }
    }
    if !samples.isEmpty {
      let outcome = try await store.saveReporting(samples)
      tally.written = outcome.stored
      tally.replaced = outcome.replaced
      tally.unchanged += outcome.ignored
    }
    let kept = Set(figures.map(\.syncIdentifier))
    let gone = stored.filter { !kept.contains($0.key) }.map(\.value)
    if let type = gone.first?.quantityType {
      // Another program that derives may have withdrawn some of them already.
      tally.withdrawn = try await store.deleteObjects(
        of: type, predicate: HKQuery.predicateForObjects(with: Set(gone.map(\.uuid))))
    }
    return tally
  }
}
