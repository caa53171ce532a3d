package import HealthKit

/// Who the figures are of.
package enum DerivedSource {
  package static let bundleIdentifier = "org.hrgate.derived"

  package static let source = HKSource(name: "hrgate", bundleIdentifier: bundleIdentifier)

  /// What stands under `HKMetadataKeyAlgorithmVersion`. It rises whenever the same beats would give another
  /// figure; what was derived before stays until it is derived anew.
  package static let algorithmVersion = 1

  /// Keys of the metadata, beside HealthKit's own.
  enum Key {
    /// The bundle identifier of the source whose beats or heart rates the figure is of.
    static let origin = "org.hrgate.derived-from"
    /// `NNSeries.coverage`.
    static let coverage = "org.hrgate.coverage"
    /// `NNSeries.artefactShare`.
    static let artefacts = "org.hrgate.artefacts"
  }
}
