import GRDB
import GRDBSQLite

/// Reads quantity samples in order of their start, and among them the quantities of series, each on its own.
/// Valid only within the access that it was made in.
struct SampledValueReader {
  /// What a statement for `forEach` selects from `sample`, and on what condition.
  static let columns = "start, end, value, unit, provenance, metadata, id"
  static let condition = "unit IS NOT NULL AND value IS NOT NULL"

  private var series: SeriesMerge
  private let hasSeries: Bool
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
    self.marks = marks
  }

  /// The samples that a statement finds, in order of start and id, and the quantities that come before the
  /// next statement's.
  /// - Parameter end: where that begins; nil if this is the last.
  mutating func forEach(
    _ statement: Statement, _ arguments: StatementArguments, before end: Int64? = nil,
    _ body: (SampledValue) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    let raw = statement.sqliteStatement
    while try rows.next() != nil {
      let sample = try value(raw)
      if hasSeries {
        let row = sqlite3_column_int64(raw, 6)
        let place = SeriesMerge.Place(start: sample.start, sample: row)
        while let quantity = try series.next(before: place) { try body(quantity.value) }
        if series.samples.contains(row) { continue }
      }
      try body(sample)
    }
    guard hasSeries else { return }
    let place = end.map { SeriesMerge.Place(start: $0, sample: .min) }
    while let quantity = try series.next(before: place) { try body(quantity.value) }
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
