import GRDB

extension SampleDatabase {
  /// Maximum number of hours per transaction, so that other writers do not wait long.
  private static let hoursInTransaction = 2000

  /// Stores the hourly summaries that a read has computed, except those whose samples have changed since.
  /// - Parameters:
  ///   - hours: The summaries, in chronological order.
  ///   - position: The last change log position when the samples were read.
  package func keep(_ hours: [HourSummary], ofType type: String, readAt position: Int64) async throws {
    var rest = hours[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.hoursInTransaction)
      rest = rest.dropFirst(part.count)
      try await write { try Self.keep(part, type, position, in: $0) }
    }
  }

  /// Returns the number of hours of a type for which a summary is stored.
  package func keptHours(ofType type: String) async throws -> Int {
    try await read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT count(DISTINCT start) FROM hour_summary
          WHERE type = (SELECT id FROM object_type WHERE identifier = ?)
          """,
        arguments: [type]) ?? 0
    }
  }

  /// Deletes all summaries. They are computed again when they are needed.
  package func forgetSummaries() async throws {
    try await write { try $0.execute(sql: "DELETE FROM hour_summary") }
  }

  private static func keep(
    _ hours: ArraySlice<HourSummary>, _ type: String, _ position: Int64, in database: Database
  ) throws {
    let find = "SELECT id FROM object_type WHERE identifier = ?"
    guard let type = try Int64.fetchOne(database, sql: find, arguments: [type]),
      var changes = try changes(ofType: type, after: position, in: database)
    else { return }
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO hour_summary (type, start, source, unit, count, first, last, least, greatest, weighted_sum,
          weight, covered, latest, latest_start, latest_end)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """)
    for hour in hours where !changes.meet(hour.start..<hour.end) {
      var rows = hour.bySource
      if rows.count > 1 { rows.append(.init(source: 0, figures: hour.all)) }
      for row in rows {
        let figures = row.figures
        try insert.execute(arguments: [
          type, hour.start, row.source, hour.unit, figures.count, figures.first, figures.last, figures.least,
          figures.greatest, figures.weightedSum, figures.weight, figures.covered, figures.latest,
          figures.latestStart, figures.latestEnd,
        ])
      }
    }
  }

  /// Returns the time ranges in which statistics of a type may have changed since a change log position.
  /// - Returns: `nil` if the ranges are unknown, because samples were deleted.
  private static func changes(
    ofType type: Int64, after position: Int64, in database: Database
  ) throws -> TimeRanges? {
    let hasDeletions =
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM deleted_object WHERE id > ? AND type = ?)",
        arguments: [position, type]) ?? false
    guard !hasDeletions else { return nil }
    let samples = try SampleTables(in: database).union {
      "SELECT start, ifnull(end, start) FROM \($0.byChange) WHERE id > ?1 AND type = ?2"
    }
    // Also return the ranges of all series, so that no summary is stored for their hours: a summary is used
    // only if all samples of the hour are single quantities.
    let rows = try Row.fetchCursor(
      database,
      sql: """
        \(samples.sql)
        UNION ALL
        SELECT start, ifnull(end, start) FROM sample NOT INDEXED
        WHERE id IN (SELECT sample FROM quantity_series) AND type = ?2
        """,
      arguments: [position, type])
    var ranges: [ClosedRange<Int64>] = []
    while let row = try rows.next() {
      ranges.append(SummaryInvalidation.range(start: row[0], end: row[1]))
    }
    return TimeRanges(ranges)
  }
}

/// Time ranges that are searched in ascending order.
private struct TimeRanges {
  /// The ranges, sorted by their start.
  private let ranges: [ClosedRange<Int64>]
  private var next = 0
  /// The latest end of the ranges before index `next`.
  private var upper = Int64.min

  init(_ ranges: [ClosedRange<Int64>]) {
    self.ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Returns whether a time range overlaps one of the ranges.
  ///
  /// - Parameter time: A time range that does not start before the one in the previous call.
  mutating func meet(_ time: Range<Int64>) -> Bool {
    while next < ranges.count, ranges[next].lowerBound < time.upperBound {
      upper = max(upper, ranges[next].upperBound)
      next += 1
    }
    return upper >= time.lowerBound
  }
}
