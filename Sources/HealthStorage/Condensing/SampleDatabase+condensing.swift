import GRDB

extension SampleDatabase {
  /// The last place in the change log that a row or a batch has.
  func lastUncondensed() async throws -> Int64 {
    try await read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT max(ifnull((SELECT max(id) FROM sample), 0), ifnull((SELECT max(id) FROM batch), 0))
          """) ?? 0
    }
  }

  /// When the earliest sample begins that is no block's and was stored after a place in the change log.
  func firstStart(after change: Int64) async throws -> Int64? {
    try await read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT min(first) FROM (
            SELECT min(start) AS first FROM sample NOT INDEXED WHERE id > ?1
            UNION ALL SELECT min(start) FROM batch NOT INDEXED WHERE id > ?1)
          """, arguments: [change])
    }
  }

  /// When the first sample begins that is no block's and begins within a time.
  ///
  /// Of each type one look at the index, so that years without samples cost nothing.
  func firstStart(from start: Int64, upTo end: Int64) async throws -> Int64? {
    try await read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT min(first) FROM (
            SELECT min((SELECT min(sample.start) FROM sample WHERE sample.type = object_type.id
              AND sample.start >= ?1 AND sample.start < ?2)) AS first FROM object_type
            UNION ALL
            SELECT min(start) FROM batch INDEXED BY batch_start WHERE start >= ?1 AND start < ?2)
          """,
        arguments: [start, end])
    }
  }

  /// Whether anything that was committed in an hour is no block yet.
  /// - Parameter hour: when it begins.
  func hasBatches(in hour: Int64) async throws -> Bool {
    try await read { database in
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM batch WHERE start >= ? AND start < ?)",
        arguments: [hour, hour + HourSummary.length]) ?? false
    }
  }

  /// How many samples are rows, or in batches, as far as they can be read.
  package func rowCount() async throws -> Int {
    try await read { database in
      let rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM sample") ?? 0
      do {
        return rows + (try Int.fetchOne(database, sql: "SELECT sum(count) FROM batch") ?? 0)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        return rows
      }
    }
  }
}
