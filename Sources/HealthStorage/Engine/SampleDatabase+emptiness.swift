import GRDB

extension SampleDatabase {
  /// Tables that have rows in a new store.
  private static let made: Set = ["store_identity", "grdb_migrations", "sqlite_sequence"]

  /// Whether nothing was ever stored. Deleted samples leave rows in the change log, so the store does not
  /// count as empty.
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
