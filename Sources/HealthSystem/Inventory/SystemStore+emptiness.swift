import HealthKit
import HealthStorage

extension SystemStore {
  /// Whether nothing was ever put into the store: no sample, no monitor, no decision of the user's.
  /// - Throws: `HKError`.
  package func isEmpty() async throws -> Bool {
    try await HKError.translating { try await database.isEmpty() }
  }
}
