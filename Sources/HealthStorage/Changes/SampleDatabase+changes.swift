package import Foundation
import GRDB

/// What became of the matching samples since a place in the change log.
package struct SampleChanges: Sendable {
  /// In the order in which they were stored.
  package var added: [SampleRecord] = []
  package var deleted: [DeletedRecord] = []
  /// Where the next question begins.
  package var position: Int64
  /// Whose change log it is.
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
  /// A sample that was added and deleted since is reported as deleted only. Of deleted samples nothing but the type and the source is left
  /// to match.
  /// - Parameters:
  ///   - filters: for each type its filter.
  ///   - store: whose log the position is in; nil for this one's. A position in another store's log means nothing here, and
  ///     everything is reported.
  ///   - limit: how many changes at most, additions and deletions together; nil for all.
  package func changes(
    _ filters: [(type: String, filter: SampleFilter)], after position: Int64, of store: String?, limit: Int?
  ) async throws -> SampleChanges {
    let filter = SampleFilter.any(filters.map { .all([.type($0.type), $0.filter]) })
    let types = filters.map(\.type)
    do {
      return try await writer.read { database in
        let token = try String.fetchOne(database, sql: "SELECT token FROM store_identity") ?? ""
        let isOurs = store == nil || store == token
        let visible = try Visibility.of(admission, in: database)
        return try Self.changes(
          resolved(filter, in: database), types, among: visible, after: isOurs ? position : 0, limit ?? -1,
          store: token, in: database
        )
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  private static func changes(
    _ filter: SampleFilter, _ types: [String], among visible: Visibility?, after position: Int64,
    _ limit: Int, store: String,
    in database: Database
  ) throws -> SampleChanges {
    let last = try lastChange(database)
    let condition = filter.condition(among: visible)
    let deletions = visible?.deletions ?? .always
    let marks = Array(repeating: "?", count: types.count).joined(separator: ", ")
    // NOT INDEXED: by id from the position on. The index of types would lead through every sample of the type.
    let log = try Row.fetchAll(
      database,
      sql: """
        SELECT id, NULL, NULL, NULL FROM sample NOT INDEXED WHERE id > ? AND (\(condition.sql))
        UNION ALL
        SELECT id, uuid, sync_identifier, sync_version FROM deleted_object
        WHERE id > ? AND type IN (SELECT id FROM object_type WHERE identifier IN (\(marks)))
          AND \(deletions.sql)
        ORDER BY 1 LIMIT ?
        """,
      arguments: [position] + condition.arguments + [position] + StatementArguments(types)
        + deletions.arguments + [limit])
    var changes = SampleChanges(position: position, store: store)
    var ids: [Int64] = []
    for row in log {
      if let uuid: UUID = row[1] {
        changes.deleted.append(DeletedRecord(uuid: uuid, syncIdentifier: row[2], syncVersion: row[3]))
      } else {
        ids.append(row[0])
      }
    }
    try forEach(ids, among: visible, in: database) { changes.added.append($0) }
    // All was seen unless the limit was reached: then the log goes on after what was seen.
    changes.position = log.count == limit ? log.last?[0] ?? last : max(last, position)
    return changes
  }
}
