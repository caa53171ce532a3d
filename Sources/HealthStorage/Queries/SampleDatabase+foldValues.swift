import GRDB

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
  /// Whether its metadata have a true value for the requested key.
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

/// The meaning of the keys in the values of one read.
package struct SampledValueKeys: Hashable, Sendable {
  package var units: [Int64: String]
  /// In the order of their row IDs.
  package var sources: [SourceRecord]
  /// The indexes in `sources`, by the keys of sources.
  package var places: [Int64: Int]
  /// The indexes in `sources`, by the keys of provenances.
  package var provenances: [Int64: Int]
  /// The user's order of sources for the type, as indexes in `sources`; empty if there is none.
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
  /// Folds the matching quantity samples in order of their start. Each quantity of a series is passed as a
  /// value of its own if it matches.
  ///
  /// Folding in Swift is twice as fast as SQL's GROUP BY on an expression.
  /// - Parameters:
  ///   - type: the type whose order of sources is included in the keys.
  ///   - marking: a metadata key; samples with a true value for it are marked.
  ///   - prepare: makes the initial result from the meaning of the keys.
  ///   - bodyOfInstants: takes a group of instants; returns false to receive them one by one instead.
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
