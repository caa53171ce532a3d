import Foundation
import GRDB

// Progress of derived samples: the position in the change log up to which they were derived. Stored in
// `sync_value`, like the sync state of a program.

extension SampleDatabase {
  /// - Parameter owner: the identifier of the derivation.
  /// - Returns: nil if nothing was derived yet.
  package func derivedPlace(of owner: String) async throws -> ChangeLogPlace? {
    try await read { database in
      let value = try Data.fetchOne(
        database, sql: "SELECT value FROM sync_value WHERE owner = ? AND key = ?",
        arguments: [owner, Self.placeKey])
      guard let value, let place = try? JSONDecoder().decode(KeptPlace.self, from: value) else { return nil }
      return ChangeLogPlace(position: place.position, mark: place.mark)
    }
  }

  /// Whether a position belongs to this store's change log as it is now, not as it was before a backup was
  /// restored.
  package func holds(_ place: ChangeLogPlace) async throws -> Bool {
    try await read { try ChangeLog(in: $0).holds(place.position, markedWith: place.mark) }
  }

  package func setDerivedPlace(_ place: ChangeLogPlace, of owner: String) async throws {
    let value = try JSONEncoder().encode(KeptPlace(position: place.position, mark: place.mark))
    // After a power failure the same samples are derived again, and found to exist.
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
