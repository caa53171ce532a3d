import Foundation
import GRDB

// How far figures were derived from the samples: a place in the change log, kept as a program keeps what it
// knows of its synchronisation.

extension SampleDatabase {
  /// - Parameter owner: who derives.
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

  /// Whether a place is in this store's log as it is now, and not in what it was before a backup was
  /// restored.
  package func holds(_ place: ChangeLogPlace) async throws -> Bool {
    try await read { try ChangeLog(in: $0).holds(place.position, markedWith: place.mark) }
  }

  package func setDerivedPlace(_ place: ChangeLogPlace, of owner: String) async throws {
    let value = try JSONEncoder().encode(KeptPlace(position: place.position, mark: place.mark))
    // After a power failure the same is derived once more, and found to be there.
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
