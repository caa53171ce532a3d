import GRDB

/// Unreferenced rows of the small tables: metadata, devices and sources of deleted samples.
///
/// They are not deleted together with a sample, because finding them requires a scan of all samples. A source
/// is kept while the change log contains deletions of its samples.
enum UnreferencedRows {
  /// The tables in the order of deletion: deleting rows of one leaves more rows of the next unreferenced.
  private static let tables = ["metadata", "provenance", "source_revision", "device", "source"]

  /// Deletes the unreferenced rows in one transaction, reading each table that refers to them only once.
  /// Foreign keys must be disabled.
  static func drop(from database: Database) throws {
    let known = Schema.migrator.migrations
    // In a newer schema, tables that this version does not know may refer to rows of the small tables.
    guard try Schema.migrator.appliedIdentifiers(database).isSubset(of: known) else { return }
    // If there is a table `batch` of an earlier schema, its rows refer to rows of the small tables without
    // foreign keys, so delete nothing.
    guard try EarlierBatches(in: database) == nil else { return }
    try database.inTransaction(.immediate) {
      let isCounted = try database.tableExists("sample_count")
      if isCounted { try database.execute(sql: "DELETE FROM sample_count WHERE count = 0") }
      for table in tables {
        var references = try database.references(to: table).map {
          "SELECT \($0.column) AS id FROM \($0.table) WHERE \($0.column) IS NOT NULL"
        }
        // Also keep rows that are referenced without a foreign key: by sample counts, summaries, and
        // permissions (through the bundle identifier).
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
  /// Returns all columns, of all tables, that have a foreign key to `table`.
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
