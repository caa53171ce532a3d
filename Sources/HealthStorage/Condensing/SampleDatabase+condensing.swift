import GRDB

extension SampleDatabase {
  /// The last place in the change log that a row has.
  func lastRow() async throws -> Int64 {
    try await read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM sample") ?? 0 }
  }

  /// When the earliest sample begins that is a row and was stored after a place in the change log.
  func firstStart(after change: Int64) async throws -> Int64? {
    try await read { database in
      try Int64.fetchOne(
        database, sql: "SELECT min(start) FROM sample NOT INDEXED WHERE id > ?", arguments: [change])
    }
  }

  /// When the first sample begins that is a row and begins within a time.
  ///
  /// Of each type one look at the index, so that years without samples cost nothing.
  func firstStart(from start: Int64, upTo end: Int64) async throws -> Int64? {
    try await read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT min((SELECT min(sample.start) FROM sample WHERE sample.type = object_type.id
            AND sample.start >= ? AND sample.start < ?)) FROM object_type
          """,
        arguments: [start, end])
    }
  }

  /// How many rows there are.
  package func rowCount() async throws -> Int {
    try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sample") ?? 0 }
  }
}
