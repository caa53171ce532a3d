import GRDB

extension SampleDatabase {
  /// Returns the problems that SQLite finds in the file; only "ok" if there are none. Reads the whole file.
  package func integrity() async throws -> [String] {
    try await read { database in
      let problems = try SQLiteCheck.problems("integrity_check", in: database)
      let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
      return try (problems.isEmpty ? ["ok"] : problems)
        + orphans.map {
          "a row of \(try $0.decode(atIndex: 0) as String? ?? "?") refers to a missing row"
        }
    }
  }
}
