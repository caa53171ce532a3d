import HealthKit
import HealthStorage

extension SystemStore {
  /// Marks all stored samples as already processed: only changes after this call lead to derived samples.
  package func skipDerivation() async throws {
    try await HKError.translating {
      let (_, end) = try await database.foldChangedSpans(
        into: 0, of: [], after: nil, entries: .max
      ) { _, _ in }
      try await database.setDerivedCursor(end.cursor, of: DerivedSource.bundleIdentifier)
    }
  }
}
