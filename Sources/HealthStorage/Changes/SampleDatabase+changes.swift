package import Foundation
import GRDB

/// How the matching samples have changed since a place in the change log.
package struct SampleChanges: Sendable {
  /// In the order in which they were stored.
  package var added: [SampleRecord] = []
  package var deleted: [DeletedRecord] = []
  /// Where the next question begins.
  package var position: Int64
  /// Whose change log it is, with a mark of what lies at `position` in it.
  package var store: String
}

/// What is left of a deleted sample.
package struct DeletedRecord: Hashable, Sendable {
  package var uuid: UUID
  package var syncIdentifier: String?
  package var syncVersion: Int64?
}

extension SampleDatabase {
  /// The changes after a place in the log. The work grows with the changes, not with the store.
  ///
  /// A sample that was added and deleted since is reported as deleted only. Of deleted samples nothing but
  /// the type and the source is left to match.
  /// - Parameters:
  ///   - filters: for each type its filter.
  ///   - store: whose log the position is in, as an answer before this one said; nil for this one's. A
  ///     position in another store's log means nothing here, nor does one in what this store's log was before
  ///     a backup was restored: everything is reported.
  ///   - limit: how many changes at most, additions and deletions together; nil for all.
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
    // NOT INDEXED: by id from the position on. The index of types would lead through every sample of the
    // type.
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
    // All was seen unless the limit was reached: then the log goes on after what was seen.
    changes.position = log.count == limit ? try log.last?.decode(atIndex: 0) ?? last : last
    return changes
  }
}
