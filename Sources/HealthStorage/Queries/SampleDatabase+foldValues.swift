import GRDB

/// A quantity, reduced to what statistics need.
package struct SampledValue: Hashable, Sendable {
  /// The start in microseconds since 1970.
  package var start: Int64
  package var end: Int64
  package var value: Double
  /// The unit: a key of `SampledValueKeys.units`.
  package var unit: Int64
  /// The source and device: a key of `SampledValueKeys.provenances`.
  package var provenance: Int64
  /// Whether the sample's metadata has the value true for the requested key.
  package var isMarked: Bool

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

/// The meaning of the IDs in ``SampledValue``. They are valid for one read only.
package struct SampledValueKeys: Hashable, Sendable {
  package var units: [Int64: String]
  /// The sources, in the order of their row IDs.
  package var sources: [SourceRecord]
  /// The indexes of `sources`, by the row ID of the source.
  package var places: [Int64: Int]
  /// The indexes of `sources`, by the row ID of the provenance (source revision and device).
  package var provenances: [Int64: Int]
  /// The user's priority of sources for the type, as indexes of `sources`; empty if the user chose none.
  package var chosen: [Int]

  package init(
    units: [Int64: String] = [:], sources: [SourceRecord] = [], places: [Int64: Int] = [:],
    provenances: [Int64: Int] = [:], chosen: [Int] = []
  ) {
    self.units = units
    self.sources = sources
    self.places = places
    self.provenances = provenances
    self.chosen = chosen
  }
}

extension SampleDatabase {
  /// Calls `body` with the matching quantities in the order of their start, like `reduce(into:)`. Each
  /// matching quantity of a series is a separate value.
  ///
  /// Doing this in Swift is twice as fast as GROUP BY with an expression in SQL.
  /// - Parameters:
  ///   - type: The type for which the keys contain the priority of sources.
  ///   - marking: A metadata key. Samples with the value true for it are marked.
  ///   - prepare: Creates the initial result. It receives the meaning of the IDs in the values.
  ///   - bodyOfInstants: Called with many quantities without a duration at once. If it returns `false`,
  ///     `body` is called for each of them.
  package func foldValues<Result: Sendable>(
    _ filter: SampleFilter, type: String, marking: String? = nil,
    prepare: @Sendable (SampledValueKeys) throws -> Result,
    instants bodyOfInstants: (@Sendable (inout Result, PackedInstants) throws -> Bool)? = nil,
    _ body: @Sendable (inout Result, SampledValue) throws -> Void
  ) async throws -> Result {
    try await read { database in
      var result = try prepare(Self.keys(type, database))
      let visible = try Visibility.of(admission, in: database)
      let condition = filter.condition(among: visible)
      var reader = try SampledValueReader(filter, among: visible, marking: marking, in: database)
      let (statement, arguments) = try reader.statement(condition, in: database)
      let instants = bodyOfInstants.map { body in
        { (instants: PackedInstants) in try body(&result, instants) }
      }
      try reader.forEach(statement, arguments, instants: instants) { try body(&result, $0) }
      return result
    }
  }

  static func keys(_ type: String, _ database: Database) throws -> SampledValueKeys {
    var keys = SampledValueKeys()
    for row in try Row.fetchAll(database, sql: "SELECT id, symbol FROM unit") {
      keys.units[try row.decode(atIndex: 0)] = try row.decode(atIndex: 1) as String
    }
    for row in try Row.fetchAll(database, sql: "SELECT id, bundle_identifier, name FROM source ORDER BY id") {
      keys.places[try row.decode(atIndex: 0)] = keys.sources.count
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
      keys.provenances[try row.decode(atIndex: 0)] = keys.places[try row.decode(atIndex: 1)]
    }
    keys.chosen = try chosenSources(type, database).compactMap { keys.places[$0] }
    return keys
  }
}
