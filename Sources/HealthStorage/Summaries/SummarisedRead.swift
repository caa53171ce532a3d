import GRDB

/// Reads the hourly summaries of a period, and the samples before, between and after these hours. Use it only
/// inside the database access in which it was created.
struct SummarisedRead {
  let scope: SummaryScope
  var hours: SummaryRows
  private var reader: SampledValueReader
  private let statement: Statement
  private let type: Int64
  private let source: Int64?
  private let starts: ClosedRange<Int64>?
  private let ends: ClosedRange<Int64>
  /// All samples that start before this time were read or are included in summaries.
  private var done = Int64.min

  /// Returns `nil` if summaries cannot be used: the filter selects something other than all samples of one
  /// type, or of one type and source, in a period, or the application may not see all of them.
  init?(_ filter: SampleFilter, _ admission: Admission, in database: Database) throws {
    let visible = try Visibility.of(admission, in: database)
    guard visible?.samples(in: filter).isAlways ?? true, let window = SummaryWindow(filter),
      let row = try Row.fetchOne(
        database, sql: "SELECT id, longest FROM object_type WHERE identifier = ?", arguments: [window.type])
    else { return nil }
    type = row[0]
    source = try window.source.map { identifier in
      try Int64.fetchOne(
        database, sql: "SELECT id FROM source WHERE bundle_identifier = ?", arguments: [identifier]) ?? -1
    }
    starts = window.starts(longest: row[1])
    ends = window.ends
    let whole = window.hours(longest: row[1])
    // A summary contains all sources, so none is created from the samples of one.
    scope = SummaryScope(
      hours: source == nil ? whole : 0..<0, position: try SampleDatabase.lastChange(database))
    hours = try SummaryRows(ofType: type, in: whole, database)
    reader = try SampledValueReader(filter, among: visible, in: database)
    // There is one lower and one upper bound of `start`, so that SQLite searches only that part of the index.
    // The parameters are numbered, because the queries of several tables use them.
    statement = try reader.statement(
      SQLCondition(
        sql: """
          type = ?1 AND start >= ?2 AND start <= ?3 AND ifnull(end, start) >= ?4 AND ifnull(end, start) <= ?5
          AND (?6 IS NULL OR provenance IN (SELECT provenance.id FROM provenance JOIN source_revision
            ON source_revision.id = provenance.source_revision WHERE source_revision.source = ?6))
          """), in: database
    ).statement
  }

  /// Reads the next samples.
  /// - Parameters:
  ///   - end: Only samples that start before this time are read; `nil` for all.
  ///   - instants: Called with many quantities without a duration at once. If it returns `false`, `body` is
  ///     called for each of them.
  mutating func samples(
    before end: Int64?, instants: ((PackedInstants) throws -> Bool)?, _ body: (SampledValue) throws -> Void
  ) throws {
    let from = max(done, starts?.lowerBound ?? .max)
    let to = min(end.map { $0 - 1 } ?? .max, starts?.upperBound ?? .min)
    if let end {
      guard end > done else { return }
      done = end
    }
    try reader.forEach(
      statement, [type, from, to, ends.lowerBound, ends.upperBound, source], from: from, before: end,
      instants: instants, body)
  }

  /// What a summary says about the selected samples of its hour.
  enum Selected {
    case nothing
    case summary(HourSummary)
    /// The samples of the hour must be read.
    case unknown
  }

  /// Reduces a summary to the selected source.
  func selected(of hour: HourSummary) -> Selected {
    guard let source else { return .summary(hour) }
    guard !hour.bySource.isEmpty else { return .unknown }
    guard let own = hour.bySource.first(where: { $0.source == source }) else { return .nothing }
    return .summary(HourSummary(start: hour.start, unit: hour.unit, all: own.figures, bySource: [own]))
  }

  /// Skips the samples of an hour, because its summary was used.
  mutating func skip(_ hour: HourSummary) { done = hour.end }
}
