import GRDB

/// Rows of the small tables to which nothing refers any more: the texts of deleted samples' metadata, their
/// devices and sources.
///
/// A deletion leaves them, for it would have to look at all samples to know. Sources stay as long as the
/// change log says of deletions whose they were.
enum UnreferencedRows {
  /// What the first refer to may be free once they are gone.
  private static let tables = ["metadata", "provenance", "source_revision", "device", "source"]

  /// In one transaction; each table that refers to them is read once. Foreign keys are not to be enforced.
  static func drop(from database: Database) throws {
    let known = Schema.migrator.migrations
    // A newer version may refer to them in ways that this one does not know.
    guard try Schema.migrator.appliedIdentifiers(database).isSubset(of: known) else { return }
    try database.inTransaction(.immediate) {
      let isCounted = try database.tableExists("sample_count")
      if isCounted { try database.execute(sql: "DELETE FROM sample_count WHERE count = 0") }
      // None that could be read says what it refers to: then nothing is dropped.
      let batched = try BatchKinds.all(in: database)
      guard batched.isWhole else { return .rollback }
      for table in tables {
        var references = try database.references(to: table).map {
          "SELECT \($0.column) AS id FROM \($0.table) WHERE \($0.column) IS NOT NULL"
        }
        // Without foreign keys: kept figures, and a program of that name may have a permission.
        if table == "provenance", isCounted { references.append("SELECT provenance FROM sample_count") }
        let ids = batched.kinds.compactMap { table == "metadata" ? $0.metadata : $0.provenance }
        if table == "metadata" || table == "provenance" {
          references.append("SELECT value FROM json_each('\(ids)')")
        }
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
