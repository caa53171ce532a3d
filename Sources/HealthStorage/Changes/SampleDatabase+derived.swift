import Foundation
import GRDB

// For samples that are computed from others, such as the resting heart rate: the change log position up to
// which they were computed. It is stored in the table `sync_value`, like the progress of syncs.

extension SampleDatabase {
  /// - Parameter owner: The identifier of the computation.
  /// - Returns: The position; `nil` if nothing was computed yet.
  package func derivedPlace(of owner: String) async throws -> ChangeLogPlace? {
    try await read { database in
      let value = try Data.fetchOne(
        database, sql: "SELECT value FROM sync_value WHERE owner = ? AND key = ?",
        arguments: [owner, Self.placeKey])
      guard let value, let place = try? JSONDecoder().decode(KeptPlace.self, from: value) else { return nil }
      return ChangeLogPlace(position: place.position, mark: place.mark)
    }
  }

  /// Returns whether a position belongs to this store's change log. A position from before a backup was
  /// restored does not.
  package func holds(_ place: ChangeLogPlace) async throws -> Bool {
    try await read { try ChangeLog(in: $0).holds(place.position, markedWith: place.mark) }
  }

  package func setDerivedPlace(_ place: ChangeLogPlace, of owner: String) async throws {
    let value = try JSONEncoder().encode(KeptPlace(position: place.position, mark: place.mark))
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

  private struct KeptPlace: Codable {
    var position: Int64
    var mark: String
  }
}
