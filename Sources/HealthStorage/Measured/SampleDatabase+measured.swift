import GRDB

extension SampleDatabase {
  /// Saves measurements of monitors and other samples in one transaction.
  ///
  /// Measurements that are already stored are skipped. Other samples are saved as by
  /// `save(_:inOrderOfTime:with:)`, in the order of their start.
  /// - Parameters:
  ///   - openSeries: Heartbeat series that are being measured, with their beats so far.
  ///   - changes: Gaps and other changes to save in the same transaction.
  /// - Returns: The results for the samples, and one result for each element of `measured`.
  /// - Throws: As `save(_:inOrderOfTime:with:)`. `.duplicates` contains only samples, not measurements.
  package func save(
    _ records: [SampleRecord], measured: [MeasuredQuantities], openSeries: [OpenSeriesRecord] = [],
    as form: MeasuredForm, with changes: MonitorChangesRecord = MonitorChangesRecord()
  ) async throws -> (samples: SaveOutcome, measured: [MeasuredOutcome]) {
    guard
      !records.isEmpty || measured.contains(where: { !$0.isEmpty }) || !openSeries.isEmpty || !changes.isEmpty
    else {
      return (SaveOutcome(), measured.map { _ in MeasuredOutcome() })
    }
    let saved = try await save(records, Self.orderOfTime(of: records), with: changes) { batch, database in
      for series in openSeries { try batch.save(series) }
      return try batch.save(measured, as: form)
    }
    return (saved.outcome, saved.others)
  }

  /// Returns the quantities that are not stored yet. Of equal quantities, only the first is returned.
  package func unsaved(of measured: [MeasuredQuantities]) async throws -> [MeasuredQuantities] {
    try await read { database in
      var stored = StoredIdentities(in: database, damagedBlocks)
      return try measured.map { quantities in
        let type = try Int64.fetchOne(
          database.cachedStatement(sql: "SELECT id FROM object_type WHERE identifier = ?"),
          arguments: [quantities.kind.type])
        guard !quantities.isEmpty else { return quantities }
        // If the type has no row, no sample of it is stored.
        let freshness = MeasuredFreshness(
          ofType: type ?? 0, latestEnd: type == nil ? .min : .max, in: database)
        let indexes = try freshness.indexes(quantities, MeasuredSpan(quantities), &stored)
        return indexes.map { quantities.selecting($0) } ?? quantities
      }
    }
  }

  /// Returns the latest end of all stored samples of a type, in microseconds since 1970. Does not decode
  /// compressed segments.
  /// - Parameter longest: The duration of the longest sample of the type.
  static func latestEnd(ofType type: Int64, longest: Int64, in database: Database) throws -> Int64 {
    var latest = Int64.min
    let lastRow = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT start FROM sample WHERE type = ? ORDER BY start DESC LIMIT 1"),
      arguments: [type])
    if let lastRow {
      let (from, overflow) = lastRow.subtractingReportingOverflow(longest)
      let ends = try database.cachedStatement(
        sql: "SELECT max(ifnull(end, start)) FROM sample WHERE type = ? AND start >= ?")
      latest = try Int64.fetchOne(ends, arguments: [type, overflow ? .min : from]) ?? latest
    }
    // A compressed segment contains samples of one hour, so the latest end is in the last hour that has a
    // segment of the type.
    let lastStart = try Int64.fetchOne(
      database.cachedStatement(
        sql: "SELECT start FROM block INDEXED BY block_start WHERE type = ? ORDER BY start DESC LIMIT 1"),
      arguments: [type])
    guard let lastStart else { return latest }
    let ends = try database.cachedStatement(
      sql: "SELECT max(end) FROM block INDEXED BY block_start WHERE type = ? AND start >= ?")
    let lastEnd = try Int64.fetchOne(ends, arguments: [type, HourSummary.start(ofHourOf: lastStart)])
    return max(latest, lastEnd ?? latest)
  }
}
