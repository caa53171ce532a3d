import GRDB

extension SampleDatabase {
  /// Returns the number of matching samples of all sources, by type identifier.
  package func counts(_ filter: SampleFilter) async throws -> [String: Int] {
    try await read { database in
      let condition = try resolved(filter, in: database).conditionRegardlessOfPermission
      let found = try SampleTables(in: database, with: true).union(condition.arguments) {
        "SELECT type FROM \($0.sql) WHERE \(condition.sql)"
      }
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT object_type.identifier, count(*) FROM (\(found.sql)) AS found
          JOIN object_type ON object_type.id = found.type GROUP BY found.type
          """,
        arguments: found.arguments)
      var counts: [String: Int] = [:]
      while let row = try rows.next() { counts[row[0]] = row[1] }
      return counts
    }
  }

  /// Deletes the currently matching samples of all sources. Uses several transactions, so that a gateway does
  /// not have to wait long. Each deletion is recorded in the change log.
  /// - Parameters:
  ///   - size: The number of samples per transaction.
  ///   - progress: Called after each transaction with the number of samples deleted so far. Returns `false`
  ///     to stop.
  /// - Returns: The number of deleted samples.
  package func deleteMatching(
    _ filter: SampleFilter, inTransactionsOf size: Int, progress: (Int) -> Bool
  ) async throws -> Int {
    // Search once and store the IDs, because filters on names or metadata are expensive.
    let matches = "matches_\(UInt64.random(in: 0 ... .max))"
    let (count, open) = try await find(filter, in: matches)
    var (done, deleted) = (0, open)
    do {
      while done < count {
        let part = (done + 1)...(done + size)
        deleted += try await delete(part, of: matches)
        done += size
        if !progress(deleted) { break }
      }
    } catch {
      try? await forget(matches)
      throw error
    }
    try await forget(matches)
    return deleted
  }

  /// Stores the IDs of matching samples in a temporary table. Heartbeat series that are being measured are
  /// deleted immediately, because they are only a few rows.
  /// - Returns: The number of samples to delete, and the number of series that were deleted immediately.
  private func find(_ filter: SampleFilter, in matches: String) async throws -> (samples: Int, open: Int) {
    try await writeInOwnTransaction { database in
      let condition = try resolved(filter, in: database).conditionRegardlessOfPermission
      let found = try SampleTables(in: database).union(condition.arguments) {
        "SELECT id FROM \($0.sql) WHERE \(condition.sql)"
      }
      try skipping {
        try database.execute(
          sql: "CREATE TEMP TABLE \(matches) AS SELECT id FROM (\(found.sql)) ORDER BY id",
          arguments: found.arguments)
      }
      let open = try OpenSeries(database: database).delete(condition)
      return (try Int.fetchOne(database, sql: "SELECT count(*) FROM temp.\(matches)") ?? 0, open.count)
    }
  }

  private func delete(_ part: ClosedRange<Int>, of matches: String) async throws -> Int {
    try await write { database in
      let found = try Int64.fetchAll(
        database, sql: "SELECT id FROM temp.\(matches) WHERE rowid BETWEEN ? AND ?",
        arguments: [part.lowerBound, part.upperBound])
      try BlockUnpacking(in: database).unpack(holding: found)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT sample.id, source_revision.source FROM temp.\(matches) AS matching
          JOIN sample ON sample.id = matching.id
          JOIN provenance ON provenance.id = sample.provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          WHERE matching.rowid BETWEEN ? AND ? ORDER BY sample.id
          """,
        arguments: [part.lowerBound, part.upperBound])
      let tombstones = Tombstones(database: database)
      var summaries = SummaryInvalidation()
      for row in rows { try tombstones.bury(row[0], savedBy: row[1], &summaries) }
      try summaries.flush(in: database)
      return rows.count
    }
  }

  private func forget(_ matches: String) async throws {
    try await writeInOwnTransaction { try $0.execute(sql: "DROP TABLE temp.\(matches)") }
  }
}
