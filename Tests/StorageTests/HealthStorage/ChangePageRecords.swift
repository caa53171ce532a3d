import Foundation

@testable import HealthStorage

/// Variants of the change-page queries that return the records unmodified.
extension SampleDatabase {
  func changePage(
    _ type: String, _ filter: SampleFilter, after place: ChangeLogPlace?, _ limit: ChangePageLimit
  ) async throws -> ChangeLogPage<SampleRecord> {
    try await changePage(type, filter, after: place, limit) { { $0 } }
  }

  func changePage(
    _ uuids: Set<UUID>, upTo place: ChangeLogPlace
  ) async throws -> ChangeLogPage<SampleRecord> {
    try await changePage(uuids, upTo: place) { { $0 } }
  }
}
