package import Foundation
import GRDB
import Synchronization

extension SampleDatabase {
  /// Saves samples in one transaction.
  ///
  /// If the metadata of a sample has a sync identifier, and a sample with the same source, type and sync
  /// identifier is stored, the one with the greater version is kept.
  /// - Parameters:
  ///   - inOrderOfTime: Whether to sort the samples by start before they are saved, which makes writing the
  ///     indexes cheaper. Set it if there are samples of several monitors, one monitor after the other.
  ///   - changes: Gaps and the status of monitors to save in the same transaction.
  /// - Throws: `StorageError`: `.undecided` or `.denied` if the application may not save these types;
  ///   `.duplicates` with all UUIDs that are already stored. `CancellationError` if the task was canceled
  ///   before the commit. After an error, nothing was stored.
  @discardableResult
  package func save(
    _ records: [SampleRecord], inOrderOfTime: Bool = false,
    with changes: MonitorChangesRecord = MonitorChangesRecord()
  ) async throws -> SaveOutcome {
    guard !records.isEmpty || !changes.isEmpty else { return SaveOutcome() }
    let order = inOrderOfTime ? Self.orderOfTime(of: records) : Array(records.indices)
    return try await save(records, order, with: changes) { _, _ in }.outcome
  }

  /// - Parameter others: Saves other data before the samples.
  func save<Others: Sendable>(
    _ records: [SampleRecord], _ order: [Int], with changes: MonitorChangesRecord,
    _ others: @Sendable (inout BatchSave, Database) throws -> Others
  ) async throws -> (outcome: SaveOutcome, others: Others) {
    try await writeInOwnTransaction { database in
      do {
        return try store(records, order, changes, others, in: database)
      } catch StorageError.duplicates(let met) {
        // The transaction stopped at the first duplicate. Find the others too, in order to report all of
        // them.
        throw StorageError.duplicates(try duplicates(of: records, in: database) ?? met)
      }
    }
  }

  /// Returns the UUIDs that are stored.
  package func stored(among uuids: [UUID]) async throws -> Set<UUID> {
    try await read { database in try stored(uuids, in: database) }
  }

  /// Returns an upper bound of the start times of a type's samples, in microseconds since 1970; `nil` if
  /// there are no samples. For compressed segments, the bound is the end of the last hour, so that no segment
  /// has to be decoded.
  package func latestStart(of type: String) async throws -> Int64? {
    try await read { database in
      guard
        let id = try Int64.fetchOne(
          database, sql: "SELECT id FROM object_type WHERE identifier = ?", arguments: [type])
      else { return nil }
      let latest = try Self.latestEnd(ofType: id, longest: 0, in: database)
      return latest == .min ? nil : latest
    }
  }

  /// Returns the UUIDs of samples that would not be saved, because they are already stored, or the same or a
  /// greater version with their sync identifier is.
  package func settled(_ records: [SampleRecord]) async throws -> Set<UUID> {
    try await read { database in
      let newer = try database.cachedStatement(
        sql: """
          SELECT 1 FROM synced_object
          JOIN source ON source.id = synced_object.source
          JOIN object_type ON object_type.id = synced_object.type
          WHERE source.bundle_identifier = ?1 AND object_type.identifier = ?2
            AND synced_object.identifier = ?3 AND synced_object.version >= ?4
          UNION ALL SELECT 1 FROM open_series JOIN object_type ON object_type.id = open_series.type
          WHERE object_type.identifier = ?2 AND sync_identifier = ?3 AND sync_version > ?4
          """)
      var settled = try stored(records.map(\.uuid), in: database)
      for record in records {
        guard let sync = record.metadata?.sync, !settled.contains(record.uuid) else { continue }
        let source = record.provenance.revision.source.bundleIdentifier
        let found = try Int.fetchOne(newer, arguments: [source, record.type, sync.identifier, sync.version])
        if found != nil { settled.insert(record.uuid) }
      }
      return settled
    }
  }

  private func store<Others>(
    _ records: [SampleRecord], _ order: [Int], _ changes: MonitorChangesRecord,
    _ others: (inout BatchSave, Database) throws -> Others, in database: Database
  ) throws -> (SaveOutcome, Others) {
    var statuses: [MonitorStatusRecord] = []
    let stored = try inOneTransaction(database) { batch in
      // Access the samples through a span, because an iterator would copy each one.
      let span = records.span
      let before = changes.isRecorded ? try Self.lastChange(database) : 0
      let result = try others(&batch, database)
      for index in order { try batch.save(span[index]) }
      if changes.isRecorded { try Self.excludeFromClockCorrections(after: before, in: database) }
      var changes = changes
      changes.statuses = measurementTimes.toWrite(changes.statuses, by: batch.inSegments)
      statuses = changes.statuses
      if !changes.isEmpty { try save(changes, in: database) }
      return (batch.outcome, result)
    }
    measurementTimes.note(statuses)
    return stored
  }

  /// Saves samples in one transaction. `body` saves them with the `BatchSave` that it receives.
  /// - Throws: `StorageError.duplicates` with the first UUID that is already stored.
  func inOneTransaction<Value>(
    _ database: Database, _ body: (inout BatchSave) throws -> Value
  ) throws -> Value {
    do {
      return try damagedBlocks.retrying {
        try transact(database, body)
      }
    } catch let conflict as SampleInsertion.ConflictError {
      throw StorageError.duplicates([conflict.uuid])
    }
  }

  private func transact<Value>(
    _ database: Database, _ body: (inout BatchSave) throws -> Value
  ) throws -> Value {
    do {
      var result: Value?
      // The transaction reads first, so it must be immediate. In a deferred transaction, the first write
      // would fail with SQLITE_BUSY if another process had committed since the read.
      try database.inTransaction(.immediate) {
        try requireSharing(in: database)
        var batch = try BatchSave(interned.take(), in: database, damagedBlocks)
        result = try body(&batch)
        try batch.finish()
        let rows = batch.interning.rows
        interned.rows.withLock { $0 = rows }
        return .commit
      }
      guard let result else { throw CancellationError() }
      return result
    } catch {
      // The transaction was rolled back, so cached rows may not exist.
      interned.rows.withLock { $0 = InternedRows() }
      throw error
    }
  }

  static func orderOfTime(of records: [SampleRecord]) -> [Int] {
    let starts = records.map(\.start)
    // Sort equal times by index, so that the order is deterministic.
    return records.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
  }

  private func duplicates(of records: [SampleRecord], in database: Database) throws -> [UUID]? {
    let uuids = records.flatMap(\.uuids)
    var seen = try stored(uuids, in: database)
    let taken = uuids.filter { !seen.insert($0).inserted }
    return taken.isEmpty ? nil : taken
  }

  func stored(_ uuids: [UUID], in database: Database) throws -> Set<UUID> {
    var stored = StoredIdentities(in: database, damagedBlocks)
    return try Set(uuids.filter { try stored.contain($0) })
  }

  /// Returns the UUIDs that are stored, including those of heartbeat series that are being measured.
  func storedOrOpen(_ uuids: [UUID], in database: Database) throws -> Set<UUID> {
    let open = OpenSeries(database: database)
    return try stored(uuids, in: database).union(uuids.filter { try open.contains($0) })
  }
}

extension SampleRecord {
  /// The UUIDs of the sample and, if it is a correlation, of the samples in it.
  var uuids: [UUID] {
    guard case .correlation(let members) = content else { return [uuid] }
    return members.map(\.uuid) + [uuid]
  }
}

/// The result of saving samples. The first three counts add up to the number of samples.
package struct SaveOutcome: Hashable, Sendable {
  /// The number of new samples.
  package var stored = 0
  /// The number of samples that have replaced one with the same sync identifier and a lower version.
  package var replaced = 0
  /// The number of samples that were not saved, because one with the same sync identifier and the same or a
  /// greater version is stored.
  package var ignored = 0
  /// Unfinished heartbeat series that the user has deleted. They are not included in the counts.
  package var deletedSeries: [UUID] = []
  /// For an import: the number of new samples for which another source has stored one with the same type,
  /// time and value.
  package var alike: [SourcePair: Int] = [:]

  package init() {}
}
