package import Foundation
import GRDB

/// The changes of matching samples after a position in the change log.
package struct SampleChanges: Sendable {
  /// The saved samples, in the order in which they were stored.
  package var added: [SampleRecord] = []
  package var deleted: [DeletedRecord] = []
  /// The position to pass to the next query.
  package var position: Int64
  /// The mark of ``position`` (`ChangeLog.mark(of:)`), which identifies the store. Pass it to the next query.
  package var store: String
}

/// What the store keeps about a deleted sample.
package struct DeletedRecord: Hashable, Sendable {
  package var uuid: UUID
  package var syncIdentifier: String?
  package var syncVersion: Int64?
}

extension SampleDatabase {
  /// Returns the changes after a position in the change log. The cost depends on the number of changes, not
  /// on the size of the store.
  ///
  /// A sample that was both added and deleted after the position is reported only as deleted. Deletions are
  /// matched only by type and source.
  /// - Parameters:
  ///   - filters: A filter for each type.
  ///   - store: The mark that was returned with the position; `nil` if the position is known to be from this
  ///     store. If the mark is from another store, or from before a backup was restored, all samples are
  ///     reported.
  ///   - limit: Maximum number of additions and deletions together; `nil` for all.
  package func changes(
    _ filters: [(type: String, filter: SampleFilter)], after position: Int64, of store: String?, limit: Int?
  ) async throws -> SampleChanges {
    let filter = SampleFilter.any(filters.map { .all([.type($0.type), $0.filter]) })
    let types = filters.map(\.type)
    return try await read { database in
      let log = try ChangeLog(in: database)
      let visible = try Visibility.of(admission, in: database)
      let start = try log.holds(position, markedWith: store) ? position : 0
      var changes = try self.changes(
        resolved(filter, after: start, in: database), types, among: visible, after: start, limit ?? -1,
        in: database)
      changes.store = try log.mark(of: changes.position)
      return changes
    }
  }

  private func changes(
    _ filter: SampleFilter, _ types: [String], among visible: Visibility?, after position: Int64,
    _ limit: Int, in database: Database
  ) throws -> SampleChanges {
    let last = try Self.lastChange(database)
    let condition = filter.condition(among: visible)
    let deletions = visible?.deletions ?? .always
    let marks = Array(repeating: "?", count: types.count).joined(separator: ", ")
    // NOT INDEXED makes SQLite scan by ID from the position on. With the index by type, it would read every
    // sample of the type.
    let samples = try SampleTables(in: database).union([position] + condition.arguments) {
      "SELECT id, NULL, NULL, NULL FROM \($0.byChange) WHERE id > ? AND (\(condition.sql))"
    }
    let log = try Row.fetchAll(
      database,
      sql: """
        \(samples.sql)
        UNION ALL
        SELECT id, uuid, sync_identifier, sync_version FROM deleted_object
        WHERE id > ? AND type IN (SELECT id FROM object_type WHERE identifier IN (\(marks)))
          AND \(deletions.sql)
        ORDER BY 1 LIMIT ?
        """,
      arguments: samples.arguments + [position] + StatementArguments(types)
        + deletions.arguments + [limit])
    var changes = SampleChanges(position: position, store: "")
    var ids: [Int64] = []
    for row in log {
      if let uuid = try row.decode(atIndex: 1) as UUID? {
        changes.deleted.append(
          try DeletedRecord(
            uuid: uuid, syncIdentifier: row.decode(atIndex: 2), syncVersion: row.decode(atIndex: 3)))
      } else {
        ids.append(try row.decode(atIndex: 0))
      }
    }
    try forEach(ids, among: visible, in: database) { changes.added.append($1) }
    // If the limit was reached, the next query must continue after the last returned change.
    changes.position = log.count == limit ? try log.last?.decode(atIndex: 0) ?? last : last
    return changes
  }
}
