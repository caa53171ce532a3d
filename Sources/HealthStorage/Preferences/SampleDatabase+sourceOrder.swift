import GRDB

/// The sources of samples of a type, and the priority that the user chose for them.
package struct SourceOrderRecord: Sendable {
  /// The sources that have saved samples of the type, and those for which the user chose a priority. Sorted
  /// by row ID.
  package var sources: [SourceRecord]
  /// The priority: indexes of `sources`, the highest priority first; empty if the user chose none.
  package var chosen: [Int]
}

extension SampleDatabase {
  package func sourceOrder(ofType type: String) async throws -> SourceOrderRecord {
    try await read { database in
      let chosen = try Self.chosenSources(type, database)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, bundle_identifier, name FROM source
          WHERE id IN (SELECT source FROM source_order WHERE type = ?1)
            OR id IN (
              SELECT source_revision.source FROM source_revision
              JOIN provenance ON provenance.source_revision = source_revision.id
              WHERE provenance.id IN (
                SELECT provenance FROM (
                  SELECT type, provenance, count FROM sample_count
                  UNION ALL \(Schema.segmentCounts)
                  UNION ALL SELECT type, provenance, 1 FROM open_series WHERE beats IS NOT NULL)
                WHERE count > 0 AND type = (SELECT id FROM object_type WHERE identifier = ?1)))
          ORDER BY id
          """,
        arguments: [type])
      var places: [Int64: Int] = [:]
      for (place, row) in rows.enumerated() { places[try row.decode(atIndex: 0)] = place }
      return SourceOrderRecord(
        sources: try rows.map {
          try SourceRecord(bundleIdentifier: $0.decode(atIndex: 1), name: $0.decode(atIndex: 2))
        },
        chosen: chosen.compactMap { places[$0] })
    }
  }

  /// Stores the priority of the sources of a type, the highest first. An empty list removes it.
  /// - Parameter bundleIdentifiers: The sources. If one occurs twice, its first occurrence counts.
  /// - Returns: The identifiers that are not in the store. If there are any, nothing is changed.
  package func setSourceOrder(_ bundleIdentifiers: [String], ofType type: String) async throws -> [String] {
    try await write { database in
      let find = try database.cachedStatement(sql: "SELECT id FROM source WHERE bundle_identifier = ?")
      var sources: [Int64] = []
      var met: Set<String> = []
      var unknown: [String] = []
      for identifier in bundleIdentifiers where met.insert(identifier).inserted {
        if let id = try Int64.fetchOne(find, arguments: [identifier]) {
          sources.append(id)
        } else {
          unknown.append(identifier)
        }
      }
      guard unknown.isEmpty else { return unknown }
      try database.execute(sql: "DELETE FROM source_order WHERE type = ?", arguments: [type])
      let insert = try database.cachedStatement(
        sql: "INSERT INTO source_order (type, place, source) VALUES (?, ?, ?)")
      for (place, source) in sources.enumerated() { try insert.execute(arguments: [type, place, source]) }
      return []
    }
  }

  /// Returns the row IDs of the sources of a type in the user's order of priority, highest first; empty if
  /// the user chose none.
  package func chosenSources(ofType type: String) async throws -> [Int64] {
    try await read { try Self.chosenSources(type, $0) }
  }

  /// Returns the row IDs of the sources of a type in the user's order of priority, highest first.
  static func chosenSources(_ type: String, _ database: Database) throws -> [Int64] {
    try Int64.fetchAll(
      database, sql: "SELECT source FROM source_order WHERE type = ? ORDER BY place", arguments: [type])
  }
}
