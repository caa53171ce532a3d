import GRDB

extension SampleDatabase {
  /// Stores measurements of monitors and other samples in one transaction.
  ///
  /// Measurements that are stored already are skipped. Samples are stored as by
  /// `save(_:inOrderOfTime:with:)`, in order of start.
  /// - Parameters:
  ///   - openSeries: The current state of heartbeat series in progress.
  ///   - changes: Stored in the same transaction.
  /// - Returns: The results for the samples, and for the quantities in their order.
  /// - Throws: As `save(_:inOrderOfTime:with:)`. `.duplicates` names samples only.
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

  /// Returns the quantities that are not stored yet. Of equal ones, only the first is returned.
  package func unsaved(of measured: [MeasuredQuantities]) async throws -> [MeasuredQuantities] {
    try await read { database in
      var stored = StoredIdentities(in: database, damagedBlocks)
      return try measured.map { quantities in
        let type = try Int64.fetchOne(
          database.cachedStatement(sql: "SELECT id FROM object_type WHERE identifier = ?"),
          arguments: [quantities.kind.type])
        guard !quantities.isEmpty else { return quantities }
        // Without a row for the type no sample is stored.
        let freshness = MeasuredFreshness(
          ofType: type ?? 0, latestEnd: type == nil ? .min : .max, in: database)
        let places = try freshness.places(quantities, MeasuredSpan(quantities), &stored)
        return places.map { quantities.selecting($0) } ?? quantities
      }
    }
  }

  /// Returns when the last stored sample of a type ends, in microseconds since 1970. No segment is decoded.
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
    // The latest end is in the last hour with a segment of the type, because a segment is within an hour.
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
