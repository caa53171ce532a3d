import GRDB
import GRDBSQLite

/// Reads quantity samples in the order of their start: rows, quantities of series, and samples in compressed
/// segments. Use it only inside the database access in which it was created.
struct SampledValueReader {
  private var series: SeriesMerge
  private let hasSeries: Bool
  private let tables: SampleTables
  /// Reads the samples in compressed segments; `nil` if there are none, or if the filter cannot be evaluated
  /// on segments and they are read through SQL.
  private var packed: PackedValues?
  private var marks: MetadataMarks

  /// - Parameters:
  ///   - filter: The filter, which also selects quantities of series.
  ///   - visible: What the application may see; `nil` for hrgate itself.
  ///   - marking: A metadata key. Samples with the value true for it are marked.
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

  /// Returns a statement for `forEach` that selects the samples that match a condition.
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

  /// Calls `body` with the samples that a statement finds, in the order of start and ID, merged with samples
  /// in compressed segments and quantities of series up to `end`.
  /// - Parameters:
  ///   - from: The earliest start that the statement selects. Earlier samples in segments are skipped.
  ///   - end: The start time from which the next statement selects samples; `nil` for the last statement.
  ///   - instants: Called with many quantities without a duration at once. If it returns `false`, `body` is
  ///     called for each of them.
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
        let position = SeriesMerge.Position(start: sample.start, sample: row)
        try others(from: from, before: position, instants, body)
        if hasSeries, series.samples.contains(row) { continue }
      }
      try body(sample)
    }
    try others(from: from, before: end.map { SeriesMerge.Position(start: $0, sample: .min) }, instants, body)
  }

  /// Calls `body` with the quantities of series and the samples in compressed segments that come before a
  /// row.
  private mutating func others(
    from: Int64, before position: SeriesMerge.Position?, _ instants: ((PackedInstants) throws -> Bool)?,
    _ body: (SampledValue) throws -> Void
  ) throws {
    if hasSeries {
      while let quantity = try series.next(before: position) {
        try packed?.forEach(from: from, before: quantity.position, instants: instants, body)
        try body(quantity.value)
      }
    }
    try packed?.forEach(from: from, before: position, instants: instants, body)
  }

  /// Reads the columns of a row. It calls SQLite's functions directly, because GRDB's take longer than
  /// finding the row.
  private mutating func value(_ raw: OpaquePointer) throws -> SampledValue {
    let start = sqlite3_column_int64(raw, 0)
    let isInstant = sqlite3_column_type(raw, 1) == SQLITE_NULL
    return SampledValue(
      start: start, end: isInstant ? start : sqlite3_column_int64(raw, 1),
      value: sqlite3_column_double(raw, 2), unit: sqlite3_column_int64(raw, 3),
      provenance: sqlite3_column_int64(raw, 4),
      // For NULL, SQLite returns 0, which is not the ID of any row.
      isMarked: try marks.contain(sqlite3_column_int64(raw, 5)))
  }
}
