import GRDB

/// The part of a quantity sample that statistics need.
package struct SampledValue: Sendable {
  /// Microseconds since 1970.
  package var start: Int64
  package var end: Int64
  package var value: Double
  /// A key of `SampledValueKeys.units`.
  package var unit: Int64
  /// A key of `SampledValueKeys.sources`.
  package var provenance: Int64
}

/// What the keys in the measurements of one read stand for.
package struct SampledValueKeys: Sendable {
  package var units: [Int64: String]
  package var sources: [Int64: SourceRecord]
}

extension SampleDatabase {
  /// Folds the matching quantity samples in order of their start.
  ///
  /// In code over the index this is twice as fast as SQL's GROUP BY on an expression.
  /// - Parameter prepare: makes the initial result of what the keys stand for.
  package func foldValues<Result: Sendable>(
    _ filter: SampleFilter, prepare: @Sendable (SampledValueKeys) throws -> Result,
    _ body: @Sendable (inout Result, SampledValue) throws -> Void
  ) async throws -> Result {
    do {
      return try await writer.read { database in
        var result = try prepare(Self.scan(database))
        let condition = filter.condition
        let rows = try Row.fetchCursor(
          database,
          sql: """
            SELECT start, ifnull(end, start), value, unit, provenance FROM sample
            WHERE \(condition.sql) AND unit IS NOT NULL ORDER BY start, id
            """,
          arguments: condition.arguments)
        while let row = try rows.next() {
          try body(
            &result,
            SampledValue(start: row[0], end: row[1], value: row[2], unit: row[3], provenance: row[4]))
        }
        return result
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  private static func scan(_ database: Database) throws -> SampledValueKeys {
    var scan = SampledValueKeys(units: [:], sources: [:])
    for row in try Row.fetchAll(database, sql: "SELECT id, symbol FROM unit") {
      scan.units[row[0]] = row[1]
    }
    let sources = try Row.fetchAll(
      database,
      sql: """
        SELECT provenance.id, bundle_identifier, name FROM provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        JOIN source ON source.id = source_revision.source
        """)
    for row in sources {
      scan.sources[row[0]] = SourceRecord(bundleIdentifier: row[1], name: row[2])
    }
    return scan
  }
}
