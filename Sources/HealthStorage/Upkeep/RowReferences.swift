import GRDB

extension Database {
  /// Returns all columns of all tables that have a foreign key to `table`.
  func references(to table: String) throws -> [(table: String, column: String)] {
    let tables = try String.fetchAll(self, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    return try tables.filter { !$0.hasPrefix("sqlite_") }.flatMap { other in
      try foreignKeys(on: other).compactMap { key in
        guard key.destinationTable == table, let columns = key.mapping.first else { return nil }
        return (other, columns.origin)
      }
    }
  }
}
