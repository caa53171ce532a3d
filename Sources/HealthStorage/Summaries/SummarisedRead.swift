import GRDB

/// The summaries of a window and, piece by piece, the samples between them. Valid only within the access that
/// it was made in.
struct SummarisedRead {
  let scope: SummaryScope
  var hours: SummaryRows
  private var reader: SampledValueReader
  private let statement: Statement
  private let type: Int64
  private let starts: ClosedRange<Int64>?
  private let ends: ClosedRange<Int64>
  /// All that begins before this is done.
  private var done = Int64.min

  /// nil for a question that summaries cannot answer: about more or less than a window, or of somebody who
  /// may not see all the samples in it.
  init?(_ filter: SampleFilter, _ admission: Admission, in database: Database) throws {
    let visible = try Visibility.of(admission, in: database)
    guard visible?.samples(in: filter).isAlways ?? true, let window = SummaryWindow(filter),
      let row = try Row.fetchOne(
        database, sql: "SELECT id, longest FROM object_type WHERE identifier = ?", arguments: [window.type])
    else { return nil }
    type = row[0]
    starts = window.starts(longest: row[1])
    ends = window.ends
    scope = SummaryScope(
      hours: window.hours(longest: row[1]), position: try SampleDatabase.lastChange(database))
    hours = try SummaryRows(ofType: type, in: scope.hours, database)
    reader = try SampledValueReader(filter, among: visible, in: database)
    // One bound on each side, so that the index is searched between them and nowhere else. By number, so that
    // both tables take the same.
    statement = try reader.statement(
      SQLCondition(
        sql: """
          type = ?1 AND start >= ?2 AND start <= ?3 AND ifnull(end, start) >= ?4 AND ifnull(end, start) <= ?5
          """), in: database
    ).statement
  }

  /// The samples that come next.
  /// - Parameters:
  ///   - end: those that begin before this; nil for all.
  ///   - instants: is offered what can be taken at once. What it refuses comes sample by sample.
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
      statement, [type, from, to, ends.lowerBound, ends.upperBound], from: from, before: end,
      instants: instants, body)
  }

  /// An hour was taken instead of its samples.
  mutating func skip(_ hour: HourSummary) { done = hour.end }
}
