package import HealthKit
import HealthStorage

/// Updates the stored figures: saves new ones, replaces changed ones and deletes those that can no longer be
/// derived. Figures that are up to date are not written, so that no subscriber is notified.
struct FigureKeeping {
  /// A handle that saves under the source of derived figures.
  private let store: HKHealthStore

  init(_ store: HKHealthStore) { self.store = store.acting(as: DerivedSource.source) }

  /// Updates the derived samples of some windows or days: saves new ones, replaces changed ones and deletes
  /// obsolete ones.
  /// - Parameters:
  ///   - figures: All figures that should exist in that time.
  ///   - stored: All stored figures of that time, by sync identifier.
  ///   - position: The last position of the change log when the beats were read. It is the version of the
  ///     derived sample: if two programs derive the same one, the one with the newer beats wins.
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
        // A restored store, or one that was filled from an export, may have greater versions.
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
      // Another program may have deleted some of them already.
      tally.withdrawn = try await store.deleteObjects(
        of: type, predicate: HKQuery.predicateForObjects(with: Set(gone.map(\.uuid))))
    }
    return tally
  }
}

/// The source of derived figures.
package enum DerivedSource {
  package static let bundleIdentifier = "org.hrgate.derived"

  package static let source = HKSource(name: "hrgate", bundleIdentifier: bundleIdentifier)

  /// The value of `HKMetadataKeyAlgorithmVersion`. Increase it when the same beats would give another figure.
  /// Existing figures are kept until they are derived again.
  package static let algorithmVersion = 1

  /// Metadata keys in addition to HealthKit's.
  enum Key {
    /// The bundle identifier of the source whose beats or heart rates were used.
    static let origin = "org.hrgate.derived-from"
    /// `NNSeries.coverage`.
    static let coverage = "org.hrgate.coverage"
    /// `NNSeries.artefactShare`.
    static let artefacts = "org.hrgate.artefacts"
  }
}
