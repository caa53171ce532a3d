package import Foundation
import GRDB
import Synchronization

extension SampleDatabase {
  /// Stores a batch in one transaction.
  ///
  /// A record with a sync identifier in its metadata replaces the stored object of the same source, type and
  /// identifier if its version is greater. Otherwise it is ignored.
  /// - Parameters:
  ///   - inOrderOfTime: whether to sort the records by start, so that both indexes grow at their ends. For a
  ///     batch that has the samples of several monitors one after the other.
  ///   - changes: monitor changes that are stored in the same transaction.
  /// - Throws: `StorageError`: `.undecided` or `.denied` if the application may not save these types;
  ///   `.duplicates` with all UUIDs of the batch that are stored already. `CancellationError` if the task was
  ///   cancelled before the commit; nothing is stored then.
  @discardableResult
  package func save(
    _ records: [SampleRecord], inOrderOfTime: Bool = false,
    with changes: MonitorChangesRecord = MonitorChangesRecord()
  ) async throws -> SaveOutcome {
    guard !records.isEmpty || !changes.isEmpty else { return SaveOutcome() }
    let order = inOrderOfTime ? Self.orderOfTime(of: records) : Array(records.indices)
    return try await save(records, order, with: changes) { _, _ in }.outcome
  }

  /// - Parameter others: saves additional data, before the records.
  func save<Others: Sendable>(
    _ records: [SampleRecord], _ order: [Int], with changes: MonitorChangesRecord,
    _ others: @Sendable (inout BatchSave, Database) throws -> Others
  ) async throws -> (outcome: SaveOutcome, others: Others) {
    try await writeInOwnTransaction { database in
      do {
        return try store(records, order, changes, others, in: database)
      } catch StorageError.duplicates(let met) {
        // The transaction ended at the first duplicate; report all of them.
        throw StorageError.duplicates(try duplicates(of: records, in: database) ?? met)
      }
    }
  }

  /// Returns those of the objects that are stored.
  package func stored(among uuids: [UUID]) async throws -> Set<UUID> {
    try await read { database in try stored(uuids, in: database) }
  }

  /// Returns an upper bound for the start of all samples of a type, in microseconds since 1970; nil if there
  /// is none. For packed samples it is the end of the last hour, so no block has to be read.
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

  /// Returns the records that a save would not store: those that are stored, and those of which this or a
  /// greater version with their sync identifier is stored.
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
      // Accesses records through a span; an iterator would copy each one.
      let span = records.span
      let before = changes.isRecorded ? try Self.lastChange(database) : 0
      let result = try others(&batch, database)
      for index in order { try batch.save(span[index]) }
      if changes.isRecorded { try Self.noteRecorded(after: before, in: database) }
      var changes = changes
      changes.statuses = measurementTimes.toWrite(changes.statuses, by: batch.inSegments)
      statuses = changes.statuses
      if !changes.isEmpty { try save(changes, in: database) }
      return (batch.outcome, result)
    }
    measurementTimes.note(statuses)
    return stored
  }

  /// - Throws: `StorageError.duplicates` with the first UUID that is stored already.
  func inOneTransaction<Value>(
    _ database: Database, _ body: (inout BatchSave) throws -> Value
  ) throws -> Value {
    do {
      return try damagedBlocks.retrying {
        try transact(database, body)
      }
    } catch let conflict as SampleInsertion.Conflict {
      throw StorageError.duplicates([conflict.uuid])
    }
  }

  private func transact<Value>(
    _ database: Database, _ body: (inout BatchSave) throws -> Value
  ) throws -> Value {
    do {
      var result: Value?
      // Immediate, because the transaction reads first. A deferred one that becomes a write after another
      // process has committed fails with SQLITE_BUSY, however long it waits.
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
      // The transaction was rolled back, so the cached rows may not exist.
      interned.rows.withLock { $0 = InternedRows() }
      throw error
    }
  }

  static func orderOfTime(of records: [SampleRecord]) -> [Int] {
    let starts = records.map(\.start)
    // Sorts by index if times are equal, so that the order is deterministic.
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

  /// Returns those of the objects that are stored or are series in progress.
  func storedOrOpen(_ uuids: [UUID], in database: Database) throws -> Set<UUID> {
    let open = OpenSeries(database: database)
    return try stored(uuids, in: database).union(uuids.filter { try open.contains($0) })
  }
}

extension SampleRecord {
  /// The UUIDs of the record and the members of a correlation.
  var uuids: [UUID] {
    guard case .correlation(let members) = content else { return [uuid] }
    return members.map(\.uuid) + [uuid]
  }
}

/// The result of saving a batch. The first three counts add up to the number of records.
package struct SaveOutcome: Hashable, Sendable {
  /// Stored as new objects.
  package var stored = 0
  /// Stored as replacements for objects with the same sync identifier and a lower version.
  package var replaced = 0
  /// Not stored, because an object with the same sync identifier and this or a greater version is stored.
  package var ignored = 0
  /// Series in progress that the user deleted meanwhile; not included in the counts.
  package var deletedSeries: [UUID] = []
  /// The number of an import's new samples that are also stored for another source with the same type, time
  /// and value.
  package var alike: [SourcePair: Int] = [:]

  package init() {}
}
