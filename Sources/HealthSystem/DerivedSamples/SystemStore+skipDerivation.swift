import HealthKit
import HealthStorage

extension SystemStore {
  /// Excludes all stored samples from derivation: samples are derived only for changes after this call.
  package func skipDerivation() async throws {
    try await HKError.translating {
      let (_, end) = try await database.foldChangedSpans(
        into: 0, of: [], after: nil, entries: .max
      ) { _, _ in }
      try await database.setDerivedPlace(end.place, of: DerivedSource.bundleIdentifier)
    }
  }
}
