import GRDB

/// Reads the pages of an index by themselves, where those of its table are damaged.
///
/// SQLite keeps an index as it keeps a table WITHOUT ROWID: the columns, and last the row's id. To be read
/// as one it is entered into the schema, of a copy of the file.
struct IndexReader {
  private static let name = "rows_of_index"
  private let queue: DatabaseQueue
  private let columns: String

  /// - Parameters:
  ///   - copy: a file of which nothing else is wanted any more that this could spoil.
  ///   - width: how many columns it has, without the id.
  /// - Throws: `DatabaseError` where the file cannot be opened, or does not say where the index is.
  init?(_ index: String, width: Int, inCopy copy: String) throws {
    let names = (1...width).map { "c\($0)" } + ["id"]
    let columns = names.joined(separator: ", ")
    self.columns = columns
    queue = try DatabaseQueue(path: copy)
    let isThere = try queue.writeWithoutTransaction { database in
      let root = try Int64.fetchOne(
        database, sql: "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND name = ?",
        arguments: [index])
      guard let root else { return false }
      try database.execute(sql: "PRAGMA writable_schema = ON")
      try database.execute(
        sql: """
          DELETE FROM sqlite_schema WHERE name = ?1;
          INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?1, ?1, ?2, ?3)
          """,
        arguments: [
          Self.name, Self.name, root,
          "CREATE TABLE \(Self.name) (\(columns), PRIMARY KEY (\(columns))) WITHOUT ROWID",
        ])
      try database.execute(sql: "PRAGMA writable_schema = RESET")
      return true
    }
    guard isThere else { return nil }
  }

  /// - Parameter body: is given the columns and the id. It may be called twice with the same.
  /// - Returns: whether all of the index could be read.
  func forEach(_ body: ([DatabaseValue]) -> Void) -> Bool {
    queue.writeWithoutTransaction { database in
      TableReader(table: Self.name, columns: columns, hasRowID: false, database).forEach(body)
    }
  }
}
