import GRDB

extension SampleDatabase {
  /// Returns when the earliest sample begins that was stored after a position in the change log.
  func firstStart(after change: Int64) async throws -> Int64? {
    try await read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT min(first) FROM (
            SELECT min(start) AS first FROM sample NOT INDEXED WHERE id > ?1
            UNION ALL SELECT min(start) FROM block INDEXED BY block_change WHERE last_change > ?1)
          """, arguments: [change])
    }
  }

  /// Returns the start of the first hour with samples that can be compacted: rows, or compressed segments
  /// that can be merged.
  ///
  /// For rows, it reads only one index entry per sample type. For segments, it reads the index up to that
  /// hour.
  func firstHour(from start: Int64, upTo end: Int64) async throws -> Int64? {
    guard start < end else { return nil }
    return try await read { database in
      let row = try Int64.fetchOne(
        database,
        sql: """
          SELECT min((SELECT min(sample.start) FROM sample WHERE sample.type = object_type.id
            AND sample.start >= ?1 AND sample.start < ?2)) FROM object_type
          """, arguments: [start, end])
      var first = row.map { HourSummary.start(of: $0) }
      try SegmentsWithRoom.forEachHour(in: start..<max(start, first ?? end), database) { hour in
        first = hour.hour
        return false
      }
      return first
    }
  }

  /// Returns the number of samples that can be compacted: rows, and samples in small compressed segments.
  package func rowCount() async throws -> Int {
    try await read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT (SELECT count(*) FROM sample) + ifnull((SELECT sum(count) FROM block INDEXED BY block_start
            WHERE count BETWEEN 0 AND \(PackingLimit.fewest - 1)), 0)
          """) ?? 0
    }
  }
}
