import GRDB

/// The number of samples of one type that one source has saved.
package struct InventoryEntry: Sendable {
  package var source: SourceRecord
  package var type: String
  package var count: Int
}

extension SampleDatabase {
  /// Returns the number of samples of each source and type, sorted by bundle identifier and type.
  package func inventory() async throws -> [InventoryEntry] {
    try await read { database in
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT source.bundle_identifier, source.name, object_type.identifier, sum(used.count)
          FROM (
            SELECT type, provenance, count FROM sample_count
            UNION ALL \(Schema.segmentCounts)
            UNION ALL SELECT type, provenance, 1 FROM open_series WHERE beats IS NOT NULL
          ) AS used
          JOIN provenance ON provenance.id = used.provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          JOIN source ON source.id = source_revision.source
          JOIN object_type ON object_type.id = used.type
          WHERE used.count > 0 GROUP BY source.id, object_type.id ORDER BY 1, 3
          """)
      var entries: [InventoryEntry] = []
      while let row = try rows.next() {
        entries.append(
          try InventoryEntry(
            source: SourceRecord(bundleIdentifier: row.decode(atIndex: 0), name: row.decode(atIndex: 1)),
            type: row.decode(atIndex: 2), count: row.decode(atIndex: 3)))
      }
      return entries
    }
  }
}
