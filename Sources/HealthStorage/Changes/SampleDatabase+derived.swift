import Foundation
import GRDB

// For samples that are computed from others, such as the resting heart rate: the change log position up to
// which they were computed. It is stored in the table `sync_value`, like the progress of syncs.

extension SampleDatabase {
  /// - Parameter owner: The identifier of the computation.
  /// - Returns: The position; `nil` if nothing was computed yet.
  package func derivedCursor(of owner: String) async throws -> ChangeLogCursor? {
    try await read { database in
      let value = try Data.fetchOne(
        database, sql: "SELECT value FROM sync_value WHERE owner = ? AND key = ?",
        arguments: [owner, Self.placeKey])
      guard let value, let cursor = try? JSONDecoder().decode(DerivedCursor.self, from: value) else {
        return nil
      }
      return ChangeLogCursor(position: cursor.position, mark: cursor.mark)
    }
  }

  /// Returns whether a position belongs to this store's change log. A position from before a backup was
  /// restored does not.
  package func holds(_ cursor: ChangeLogCursor) async throws -> Bool {
    try await read { try ChangeLog(in: $0).holds(cursor.position, markedWith: cursor.mark) }
  }

  package func setDerivedCursor(_ cursor: ChangeLogCursor, of owner: String) async throws {
    let value = try JSONEncoder().encode(DerivedCursor(position: cursor.position, mark: cursor.mark))
    // No sync is needed: if a power failure loses the position, the same samples are computed again, and are
    // recognized as already stored.
    try await writeWithoutSync { database in
      try database.execute(
        sql: """
          INSERT INTO sync_value (owner, key, value) VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET value = excluded.value
          """,
        arguments: [owner, Self.placeKey, value])
    }
  }

  private static let placeKey = "place"

  private struct DerivedCursor: Codable {
    var position: Int64
    var mark: String
  }
}
