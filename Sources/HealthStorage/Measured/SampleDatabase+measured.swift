import GRDB

extension SampleDatabase {
  /// Stores what monitors measured, and samples beside it, in one transaction: all of it or nothing.
  ///
  /// Measurements that are stored already are left out. Samples are stored as `save(_:inOrderOfTime:with:)`
  /// does it, by their starts.
  /// - Parameters:
  ///   - openSeries: heartbeat series in progress, each as it is now.
  ///   - form: where a program may have the store open that knows no blocks, it is rows.
  ///   - changes: what is stored in the same transaction.
  /// - Returns: what became of the samples, and of the quantities in their order.
  /// - Throws: as `save(_:inOrderOfTime:with:)`; `.duplicates` names samples alone.
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
      return try batch.save(measured, as: permitted(form, in: database))
    }
    return (saved.outcome, saved.others)
  }

  /// Without those that are stored already. What is measured again is left out, too.
  package func unsaved(of measured: [MeasuredQuantities]) async throws -> [MeasuredQuantities] {
    try await read { database in
      var stored = StoredIdentities(in: database, damagedBlocks)
      return try measured.map { quantities in
        let type = try Int64.fetchOne(
          database.cachedStatement(sql: "SELECT id FROM object_type WHERE identifier = ?"),
          arguments: [quantities.kind.type])
        guard !quantities.isEmpty else { return quantities }
        // Of no type there is nothing.
        let freshness = MeasuredFreshness(
          ofType: type ?? 0, latestEnd: type == nil ? .min : .max, in: database)
        let places = try freshness.places(quantities, MeasuredSpan(quantities), &stored)
        return places.map { quantities.selecting($0) } ?? quantities
      }
    }
  }

  private func permitted(_ form: MeasuredForm, in database: Database) throws -> MeasuredForm {
    guard form != .rows else { return form }
    do {
      try PackingCompatibility(in: database).require(forStoreAt: path)
      return form
    } catch StorageError.earlierProgram {
      return .rows
    }
  }

  /// No sample of a type that is stored ends later, in microseconds since 1970. Of what is packed it is the
  /// end of the last hour: no block need be read for it.
  /// - Parameter longest: no sample of the type is longer.
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
    let lastBlock = try Int64.fetchOne(
      database.cachedStatement(
        sql: "SELECT start FROM block INDEXED BY block_start WHERE type = ? ORDER BY start DESC LIMIT 1"),
      arguments: [type])
    // Of what was measured a moment ago the moment: what is measured now has to be later.
    let lastBatch = try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT max(end) FROM batch INDEXED BY batch_start
          WHERE start >= (SELECT max(start) FROM batch) - \(HourSummary.length)
          """))
    return max(latest, lastBlock.map(HourSummary.lastMoment(ofHourOf:)) ?? latest, lastBatch ?? latest)
  }
}
