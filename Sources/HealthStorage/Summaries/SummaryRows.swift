import GRDB

/// Reads summaries from the table `hour_summary`, hour by hour. Use it only inside the database access in
/// which it was created.
struct SummaryRows {
  private let cursor: RowCursor
  private var ahead: Row?

  /// - Parameters:
  ///   - type: The row ID of the type.
  ///   - hours: The time range in microseconds since 1970.
  init(ofType type: Int64, in hours: Range<Int64>, _ database: Database) throws {
    cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT start, source, unit, count, first, last, least, greatest, weighted_sum, weight, covered,
          latest, latest_start, latest_end
        FROM hour_summary WHERE type = ? AND start >= ? AND start < ? ORDER BY start, source
        """,
      arguments: [type, hours.lowerBound, hours.upperBound])
    ahead = try cursor.next()?.copy()
  }

  /// Returns the summary of the next hour; `nil` after the last one.
  mutating func next() throws -> HourSummary? {
    guard let first = ahead else { return nil }
    var hour = HourSummary(start: first[0], unit: first[2], all: Self.figures(first), bySource: [])
    if (first[1] as Int64) != 0 { hour.bySource.append(.init(source: first[1], figures: hour.all)) }
    ahead = nil
    while let row = try cursor.next() {
      guard (row[0] as Int64) == hour.start else {
        ahead = row.copy()
        break
      }
      hour.bySource.append(.init(source: row[1], figures: Self.figures(row)))
    }
    return hour
  }

  private static func figures(_ row: Row) -> HourSummary.Figures {
    HourSummary.Figures(
      count: row[3], first: row[4], last: row[5], least: row[6], greatest: row[7], weightedSum: row[8],
      weight: row[9], covered: row[10], latest: row[11], latestStart: row[12], latestEnd: row[13])
  }
}
