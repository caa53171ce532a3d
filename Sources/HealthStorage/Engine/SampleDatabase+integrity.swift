import GRDB

extension SampleDatabase {
  /// What SQLite finds wrong with the file; "ok" alone if nothing. It reads all of it.
  package func integrity() async throws -> [String] {
    try await read { database in
      let flaws = try String.fetchAll(database, sql: "PRAGMA integrity_check")
      let orphans = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
      return try flaws
        + orphans.map {
          "a row of \(try $0.decode(atIndex: 0) as String? ?? "?") refers to a missing row"
        }
    }
  }
}
