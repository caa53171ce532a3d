import HealthKit
import HealthSystem
import Testing

/// Calls the body with the path of a store that does not exist.
func withPath(_ body: (String) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
  defer { try? FileManager.default.removeItem(at: directory) }
  try await body(directory.appending(path: "health.sqlite").path)
}

/// Calls the body with an empty store in memory, and with one in a file.
func withEachStore(_ body: (SystemStore) async throws -> Void) async throws {
  try await body(SystemStore(HKHealthStore.inMemory()))
  try await withPath { try await body(SystemStore(at: $0)) }
}

extension HKHealthStore {
  /// Returns a store in memory as seen by an application whose requests are not answered.
  static func ofApplication() throws -> HKHealthStore {
    try HKHealthStore(
      configuration: .init(
        location: .memory, application: .example(),
        decision: .asking { _ in
          Issue.record("the application asked")
          return .cancelled
        }))
  }
}
