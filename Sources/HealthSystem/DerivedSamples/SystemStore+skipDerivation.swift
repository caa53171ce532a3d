import HealthKit
import HealthStorage

extension SystemStore {
  /// Marks all stored samples as derived from: figures are derived from later samples only.
  package func skipDerivation() async throws {
    try await HKError.translating {
      let (_, end) = try await database.foldChangedSpans(
        into: 0, of: [], after: nil, entries: .max
      ) { _, _ in }
      try await database.setDerivedPlace(end.place, of: DerivedSource.bundleIdentifier)
    }
  }
}
