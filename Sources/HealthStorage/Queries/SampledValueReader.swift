import GRDB
import GRDBSQLite

/// Reads quantity samples in order of their start, and among them the quantities of series, each on its own,
/// and those in blocks.
/// Valid only within the access that it was made in.
struct SampledValueReader {
  private var series: SeriesMerge
  private let hasSeries: Bool
  private let tables: SampleTables
  /// nil if there are none, or where they come with the rows: the filter asks what only a row can tell.
  private var packed: PackedValues?
  private var marks: MetadataMarks

  /// - Parameters:
  ///   - filter: says which quantities of series match.
  ///   - visible: nil for the system.
  ///   - marking: a metadata key; samples that have `true` under it are marked.
  init(
    _ filter: SampleFilter, among visible: Visibility?, marking: String? = nil, in database: Database
  ) throws {
    var marks = MetadataMarks(key: marking, database)
    series = try SeriesMerge(QuantityFilter(filter), among: visible, in: database) { try marks.contain($0) }
    hasSeries = !series.samples.isEmpty
    let all = try SampleTables(in: database)
    let isPlain = filter.isAlikeWithinBlocks && visible?.samples(in: filter).isAlways ?? true
    packed = all.haveBlocks && isPlain ? try PackedValues(filter, marking: marking, in: database) : nil
    tables = packed == nil ? all : SampleTables([.rows])
    self.marks = marks
  }

  /// A statement for `forEach`, on the samples for which a condition holds.
  func statement(
    _ condition: SQLCondition, in database: Database
  ) throws -> (statement: Statement, arguments: StatementArguments) {
    let values = tables.union(condition.arguments) {
      """
      SELECT start, end, value, unit, provenance, metadata, id FROM \($0.sql)
      WHERE \(condition.sql) AND unit IS NOT NULL AND value IS NOT NULL
      """
    }
    return (try database.makeStatement(sql: "\(values.sql) ORDER BY start, id"), values.arguments)
  }

  /// The samples that a statement finds, in order of start and id, and the quantities that come before the
  /// next statement's.
  /// - Parameters:
  ///   - from: nothing before this is in the statement, nor wanted from blocks.
  ///   - end: where that begins; nil if this is the last.
  ///   - instants: is offered what can be taken at once. What it refuses comes sample by sample.
  mutating func forEach(
    _ statement: Statement, _ arguments: StatementArguments, from: Int64 = .min, before end: Int64? = nil,
    instants: ((PackedInstants) throws -> Bool)? = nil, _ body: (SampledValue) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    let raw = statement.sqliteStatement
    while try rows.next() != nil {
      let sample = try value(raw)
      if hasSeries || packed != nil {
        let row = sqlite3_column_int64(raw, 6)
        let place = SeriesMerge.Place(start: sample.start, sample: row)
        try others(from: from, before: place, instants, body)
        if hasSeries, series.samples.contains(row) { continue }
      }
      try body(sample)
    }
    try others(from: from, before: end.map { SeriesMerge.Place(start: $0, sample: .min) }, instants, body)
  }

  /// What comes before a row and is in none of its own.
  private mutating func others(
    from: Int64, before place: SeriesMerge.Place?, _ instants: ((PackedInstants) throws -> Bool)?,
    _ body: (SampledValue) throws -> Void
  ) throws {
    if hasSeries {
      while let quantity = try series.next(before: place) {
        try packed?.forEach(from: from, before: quantity.place, instants: instants, body)
        try body(quantity.value)
      }
    }
    try packed?.forEach(from: from, before: place, instants: instants, body)
  }

  /// Through SQLite's own functions: GRDB's take longer than the step itself.
  private mutating func value(_ raw: OpaquePointer) throws -> SampledValue {
    let start = sqlite3_column_int64(raw, 0)
    let isInstant = sqlite3_column_type(raw, 1) == SQLITE_NULL
    return SampledValue(
      start: start, end: isInstant ? start : sqlite3_column_int64(raw, 1),
      value: sqlite3_column_double(raw, 2), unit: sqlite3_column_int64(raw, 3),
      provenance: sqlite3_column_int64(raw, 4),
      // Without metadata SQLite reads NULL as 0, which is no row's id.
      isMarked: try marks.contain(sqlite3_column_int64(raw, 5)))
  }
}
