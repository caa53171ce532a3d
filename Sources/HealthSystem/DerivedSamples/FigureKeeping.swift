package import HealthKit
import HealthStorage

/// Updates the derived samples in the store: saves new ones, replaces changed ones and deletes samples that
/// can no longer be derived. Samples that are up to date are not written, so no subscriber is notified.
struct FigureKeeping {
  /// A handle that saves samples under ``DerivedSource``.
  private let store: HKHealthStore

  init(_ store: HKHealthStore) { self.store = store.acting(as: DerivedSource.source) }

  /// Updates the derived samples of some windows or days.
  /// - Parameters:
  ///   - figures: All samples that should exist in these windows or days.
  ///   - stored: The derived samples that are stored for them, by sync identifier.
  ///   - position: The last position of the change log when the beats were read. It becomes the version of
  ///     the derived samples: if two programs derive the same sample, the one that read newer beats wins.
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
        // After a restore or an import, stored samples may have versions above the change log position.
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
      // Another program may have deleted some of these samples already.
      tally.withdrawn = try await store.deleteObjects(
        of: type, predicate: HKQuery.predicateForObjects(with: Set(gone.map(\.uuid))))
    }
    return tally
  }
}

/// The source under which derived samples are saved.
package enum DerivedSource {
  package static let bundleIdentifier = "org.hrgate.derived"

  package static let source = HKSource(name: "hrgate", bundleIdentifier: bundleIdentifier)

  /// The value of `HKMetadataKeyAlgorithmVersion`. Increment it if the algorithm's result for the same beats
  /// changes. Stored samples stay unchanged until they are derived again.
  package static let algorithmVersion = 1

  /// Metadata keys of derived samples that HealthKit does not define.
  enum Key {
    /// The key for the bundle identifier of the source whose beats or heart rates were used.
    static let origin = "org.hrgate.derived-from"
    /// The key for the value of `NNSeries.coverage`.
    static let coverage = "org.hrgate.coverage"
    /// The key for the value of `NNSeries.artefactShare`.
    static let artefacts = "org.hrgate.artefacts"
  }
}
