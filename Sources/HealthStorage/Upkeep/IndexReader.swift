import GRDB

/// Reads an index as if it were a table, for use when pages of the table itself are damaged.
///
/// SQLite stores an index like a table WITHOUT ROWID: the indexed columns, then the row ID. So this type adds
/// such a table, with the root page of the index, to the schema of a copy of the file.
struct IndexReader {
  private static let name = "rows_of_index"
  private let queue: DatabaseQueue
  private let columns: String

  /// - Parameters:
  ///   - copy: The path of a copy of the store. Its schema is changed.
  ///   - width: The number of columns of the index, without the row ID.
  /// - Throws: `DatabaseError` if the file cannot be opened or its schema cannot be read.
  init?(_ index: String, width: Int, inCopy copy: String) throws {
    let names = (1...width).map { "c\($0)" } + ["id"]
    let columns = names.joined(separator: ", ")
    self.columns = columns
    queue = try DatabaseQueue(path: copy, configuration: .forDamagedSchemas)
    let isThere = try queue.writeWithoutTransaction { database in
      let root = try Int64.fetchOne(
        database, sql: "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND name = ?",
        arguments: [index])
      guard let root else { return false }
      try database.execute(
        sql: """
          DELETE FROM sqlite_schema WHERE name = ?1;
          INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?1, ?1, ?2, ?3)
          """,
        arguments: [
          Self.name, Self.name, root,
          "CREATE TABLE \(Self.name) (\(columns), PRIMARY KEY (\(columns))) WITHOUT ROWID",
        ])
      _ = try? database.execute(sql: "PRAGMA writable_schema = RESET")
      try database.readDamagedSchema()
      return true
    }
    guard isThere else { return nil }
  }

  /// - Parameter body: Called with the columns and the row ID. It may be called twice for the same row.
  /// - Returns: Whether the whole index could be read.
  func forEach(_ body: ([DatabaseValue]) -> Void) -> Bool {
    queue.writeWithoutTransaction { database in
      TableReader(table: Self.name, columns: columns, hasRowID: false, database).forEach(body)
    }
  }
}
