import GRDB

/// Rows of the small tables that nothing refers to: metadata, devices and sources of deleted samples.
///
/// A deletion leaves them, because finding them requires a scan of all samples. A source is kept as long as
/// the change log has deletions of its samples.
enum UnreferencedRows {
  /// In this order, because deleting rows of one table can free rows of the next.
  private static let tables = ["metadata", "provenance", "source_revision", "device", "source"]

  /// Runs in one transaction and reads each referring table once. Foreign keys must not be enforced.
  static func drop(from database: Database) throws {
    let known = Schema.migrator.migrations
    // A newer version may refer to these rows from tables that this version does not know.
    guard try Schema.migrator.appliedIdentifiers(database).isSubset(of: known) else { return }
    // The batches of an earlier schema refer to rows without foreign keys.
    guard try EarlierBatches(in: database) == nil else { return }
    try database.inTransaction(.immediate) {
      let isCounted = try database.tableExists("sample_count")
      if isCounted { try database.execute(sql: "DELETE FROM sample_count WHERE count = 0") }
      for table in tables {
        var references = try database.references(to: table).map {
          "SELECT \($0.column) AS id FROM \($0.table) WHERE \($0.column) IS NOT NULL"
        }
        // References without a foreign key: summaries, and permissions by bundle identifier.
        if table == "provenance", isCounted { references.append("SELECT provenance FROM sample_count") }
        if table == "source", try database.tableExists("hour_summary") {
          references.append("SELECT source FROM hour_summary")
          references.append(
            "SELECT id FROM source WHERE bundle_identifier IN (SELECT identifier FROM application)")
        }
        guard !references.isEmpty else { continue }
        try database.execute(
          sql: "DELETE FROM \(table) WHERE id NOT IN (\(references.joined(separator: " UNION ALL ")))")
      }
      return .commit
    }
  }
}

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
