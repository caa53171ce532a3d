import GRDB
import GRDBSQLite

/// The part of a quantity sample that statistics need.
package struct SampledValue: Hashable, Sendable {
  /// Microseconds since 1970.
  package var start: Int64
  package var end: Int64
  package var value: Double
  /// A key of `SampledValueKeys.units`.
  package var unit: Int64
  /// A key of `SampledValueKeys.provenances`.
  package var provenance: Int64
  /// Whether its metadata are true under the key that was asked about.
  package var isMarked: Bool

  /// Under which metadata say that the user entered a value, which counts before what was measured.
  package static let enteredKey = "HKWasUserEntered"

  package init(
    start: Int64, end: Int64, value: Double, unit: Int64, provenance: Int64, isMarked: Bool = false
  ) {
    self.start = start
    self.end = end
    self.value = value
    self.unit = unit
    self.provenance = provenance
    self.isMarked = isMarked
  }
}

/// What the keys in the measurements of one read stand for.
package struct SampledValueKeys: Hashable, Sendable {
  package var units: [Int64: String]
  /// In the order in which the store met them.
  package var sources: [SourceRecord]
  /// The place of a provenance's source in `sources`.
  package var provenances: [Int64: Int]
  /// The order of sources that the user chose for the type, as places in `sources`; empty if they chose none.
  package var chosen: [Int]

  package init(
    units: [Int64: String] = [:], sources: [SourceRecord] = [], provenances: [Int64: Int] = [:],
    chosen: [Int] = []
  ) {
    self.units = units
    self.sources = sources
    self.provenances = provenances
    self.chosen = chosen
  }
}

extension SampleDatabase {
  /// Folds the matching quantity samples in order of their start, which `body` may rely on. The quantities of a series come each
  /// on its own, as samples that match or do not.
  ///
  /// In code over the index this is twice as fast as SQL's GROUP BY on an expression.
  /// - Parameters:
  ///   - type: whose order of sources is wanted.
  ///   - marking: a metadata key; samples that have `true` under it are marked.
  ///   - prepare: makes the initial result of what the keys stand for.
  package func foldValues<Result: Sendable>(
    _ filter: SampleFilter, type: String, marking: String? = nil,
    prepare: @Sendable (SampledValueKeys) throws -> Result,
    _ body: @Sendable (inout Result, SampledValue) throws -> Void
  ) async throws -> Result {
    do {
      return try await writer.read { database in
        var result = try prepare(Self.keys(type, database))
        var marks = MetadataMarks(key: marking, database)
        let visible = try Visibility.of(admission, in: database)
        let condition = filter.condition(among: visible)
        let statement = try database.makeStatement(
          sql: """
            SELECT start, end, value, unit, provenance, metadata, id FROM sample
            WHERE \(condition.sql) AND unit IS NOT NULL AND value IS NOT NULL ORDER BY start, id
            """)
        var series = try SeriesMerge(QuantityFilter(filter), among: visible, in: database) { metadata in
          try marking != nil && marks.contain(metadata)
        }
        let hasSeries = !series.samples.isEmpty
        let rows = try Row.fetchCursor(statement, arguments: condition.arguments)
        // Read through SQLite's own functions: GRDB's take longer than the step itself.
        let raw = statement.sqliteStatement
        try rows.forEach { _ in
          let start = sqlite3_column_int64(raw, 0)
          if hasSeries {
            let row = sqlite3_column_int64(raw, 6)
            let place = SeriesMerge.Place(start: start, sample: row)
            while let quantity = try series.next(before: place) { try body(&result, quantity.value) }
            if series.samples.contains(row) { return }
          }
          let isInstant = sqlite3_column_type(raw, 1) == SQLITE_NULL
          let sample = SampledValue(
            start: start, end: isInstant ? start : sqlite3_column_int64(raw, 1),
            value: sqlite3_column_double(raw, 2), unit: sqlite3_column_int64(raw, 3),
            provenance: sqlite3_column_int64(raw, 4),
            // Without metadata SQLite reads NULL as 0, which is no row's id.
            isMarked: try marking != nil && marks.contain(sqlite3_column_int64(raw, 5)))
          try body(&result, sample)
        }
        while let quantity = try series.next() { try body(&result, quantity.value) }
        return result
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  static func keys(_ type: String, _ database: Database) throws -> SampledValueKeys {
    var keys = SampledValueKeys()
    for row in try Row.fetchAll(database, sql: "SELECT id, symbol FROM unit") {
      keys.units[try row.decode(atIndex: 0)] = try row.decode(atIndex: 1) as String
    }
    var places: [Int64: Int] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT id, bundle_identifier, name FROM source ORDER BY id") {
      places[try row.decode(atIndex: 0)] = keys.sources.count
      keys.sources.append(
        try SourceRecord(bundleIdentifier: row.decode(atIndex: 1), name: row.decode(atIndex: 2)))
    }
    let provenances = try Row.fetchAll(
      database,
      sql: """
        SELECT provenance.id, source FROM provenance
        JOIN source_revision ON source_revision.id = provenance.source_revision
        """)
    for row in provenances {
      keys.provenances[try row.decode(atIndex: 0)] = places[try row.decode(atIndex: 1)]
    }
    keys.chosen = try chosenSources(type, database).compactMap { places[$0] }
    return keys
  }
}
