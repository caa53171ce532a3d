import Foundation

@testable import HealthStorage

/// Variants of the change-page queries that return the records unmodified.
extension SampleDatabase {
  func changePage(
    _ type: String, _ filter: SampleFilter, after cursor: ChangeLogCursor?, _ limit: ChangePageLimit
  ) async throws -> ChangeLogPage<SampleRecord> {
    try await changePage(type, filter, after: cursor, limit) { { $0 } }
  }

  func changePage(
    _ uuids: Set<UUID>, upTo cursor: ChangeLogCursor
  ) async throws -> ChangeLogPage<SampleRecord> {
    try await changePage(uuids, upTo: cursor) { { $0 } }
  }
}
