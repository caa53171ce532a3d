import GRDB

extension SampleDatabase {
  /// Tables that hold rows from the store's making on.
  private static let made: Set = ["store_identity", "grdb_migrations", "sqlite_sequence"]

  /// Whether nothing was ever put into the store, of whatever kind; what was deleted again has left its
  /// trace.
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
