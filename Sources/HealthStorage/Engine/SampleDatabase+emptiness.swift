import GRDB

extension SampleDatabase {
  /// The tables that contain rows even in a new store.
  private static let made: Set = ["store_identity", "grdb_migrations", "sqlite_sequence"]

  /// Returns whether nothing was ever stored. A store is not empty after its samples were deleted, because
  /// deletions leave entries in the change log.
  package func isEmpty() async throws -> Bool {
    try await read { database in
      let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
      return try tables.filter { !Self.made.contains($0) }.allSatisfy { table in
        try Bool.fetchOne(
          database, sql: "SELECT NOT EXISTS (SELECT * FROM \(table.quotedDatabaseIdentifier))")
          ?? true
      }
    }
  }
}
