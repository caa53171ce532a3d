package import Foundation
import GRDB

/// A heartbeat series that is still being measured, with all its beats so far.
package struct OpenSeriesRecord: Sendable {
  /// The UUID. The finished series has the same one.
  package var uuid: UUID
  /// The identifier of the object type.
  package var type: String
  /// The start in microseconds since 1970.
  package var start: Int64
  package var end: Int64
  package var provenance: Provenance
  /// The metadata without sync identifier and version, so that all series of a monitor share one metadata
  /// row.
  package var metadata: EncodedMetadata?
  /// The sync identifier and version. The version increases each time the series is saved.
  package var sync: EncodedMetadata.Sync
  package var count: Int
  /// The beats, encoded by `HeartbeatCodec`.
  package var beats: [UInt8]

  package init(
    uuid: UUID, type: String, start: Int64, end: Int64, provenance: Provenance, metadata: EncodedMetadata?,
    sync: EncodedMetadata.Sync, count: Int, beats: [UInt8]
  ) {
    self.uuid = uuid
    self.type = type
    self.start = start
    self.end = end
    self.provenance = provenance
    self.metadata = metadata
    self.sync = sync
    self.count = count
    self.beats = beats
  }
}

/// Access to the table `open_series`. Use it only inside the database access in which it was created.
struct OpenSeries {
  let database: Database

  /// A subquery for a FROM clause that returns these series with the columns of `sample`. The IDs are greater
  /// than any position in the change log.
  static let samples = """
    (SELECT id + \(1 << 62) AS id, uuid, type, start, end, provenance, metadata, NULL AS value, NULL AS unit,
      count, beats FROM open_series WHERE beats IS NOT NULL)
    """

  struct Row {
    var uuid: UUID
    var version: Int64
    var isDeleted: Bool
  }

  func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    let statement = try database.cachedStatement(
      sql: "SELECT uuid, sync_version, beats IS NULL FROM open_series WHERE \(sql)")
    return try GRDB.Row.fetchOne(statement, arguments: arguments).map {
      Row(
        uuid: try $0.decode(atIndex: 0), version: try $0.decode(atIndex: 1),
        isDeleted: try $0.decode(atIndex: 2))
    }
  }

  func contains(_ uuid: UUID) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM open_series WHERE uuid = ?")
    return try Int.fetchOne(statement, arguments: [uuid]) != nil
  }

  func remove(_ uuid: UUID) throws {
    try database.cachedStatement(sql: "DELETE FROM open_series WHERE uuid = ?").execute(arguments: [uuid])
  }

  /// Deletes the beats of the matching series. The rows stay until the gateway notices the deletion, removes
  /// them and begins new series.
  /// - Parameter condition: An SQL condition on samples.
  /// - Returns: The UUIDs of the deleted series.
  func delete(_ condition: SQLCondition) throws -> [UUID] {
    let statement = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM open_series)")
    guard try Bool.fetchOne(statement) == true else { return [] }
    let found = try UUID.fetchAll(
      database, sql: "SELECT uuid FROM \(Self.samples) AS sample WHERE \(condition.sql)",
      arguments: condition.arguments)
    for uuid in found {
      try database.cachedStatement(
        sql: "UPDATE open_series SET beats = NULL, count = 0, end = start WHERE uuid = ?"
      ).execute(arguments: [uuid])
    }
    return found
  }
}

// MARK: - Series that are being measured

extension BatchSave {
  /// Saves an unfinished heartbeat series with all its beats so far.
  mutating func save(_ series: OpenSeriesRecord) throws {
    let open = OpenSeries(database: database)
    let provenance = try interning.provenance(series.provenance)
    // Round the duration up to five minutes, so that a growing series rarely updates the row of its type.
    let step: Int64 = 300_000_000
    let duration = (series.end - series.start + step - 1) / step * step
    let type = try interning.type(series.type, duration: duration, end: series.end)
    let values: StatementArguments = [
      type, series.start, series.end, provenance.id, try series.metadata.map { try interning.metadata($0) },
      series.sync.identifier, series.sync.version, series.count, Data(series.beats), series.uuid,
    ]
    try database.cachedStatement(
      sql: """
        UPDATE open_series SET type = ?, start = ?, end = ?, provenance = ?, metadata = ?,
          sync_identifier = ?, sync_version = ?, count = ?, beats = ?
        WHERE uuid = ? AND beats IS NOT NULL
        """
    ).execute(arguments: values)
    guard database.changesCount == 0 else { return }
    if try open.contains(series.uuid) {
      outcome.deletedSeries.append(series.uuid)
      return try open.remove(series.uuid)
    }
    guard try makeWay(for: series.sync, ofType: type, from: provenance.source) else { return }
    try database.cachedStatement(
      sql: """
        INSERT INTO open_series
          (type, start, end, provenance, metadata, sync_identifier, sync_version, count, beats, uuid)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: values)
  }
}

// MARK: - Finishing

extension SampleDatabase {
  /// Turns the series left behind by a killed gateway into samples.
  /// - Parameter metadata: Returns the metadata for a sync identifier and version.
  /// - Returns: The number of series.
  package func finishOpenSeries(
    metadata: @escaping @Sendable (EncodedMetadata.Sync) -> [String: MetadataValue]
  ) async throws -> Int {
    let areAny = try await read { database in
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM open_series)") ?? false
    }
    guard areAny else { return 0 }
    return try await writeInOwnTransaction { database in
      try inOneTransaction(database) { batch in
        var cache = ReadCache(database, parts: nil, marking: nil)
        let rows = try Row.fetchAll(
          database,
          sql: """
            SELECT uuid, type, start, end, provenance, metadata, sync_identifier, sync_version, count, beats
            FROM open_series WHERE beats IS NOT NULL ORDER BY start, id
            """)
        let before = batch.outcome.stored + batch.outcome.replaced
        for row in rows {
          // Skip a damaged row, so that the gateway can start. `hrgate store check` reports the row.
          guard let record = try? SampleRecord(openSeries: row, &cache, metadata),
            try !stored([record.uuid], in: database).contains(record.uuid)
          else { continue }
          try batch.save(record)
        }
        try database.execute(sql: "DELETE FROM open_series WHERE beats IS NULL")
        return batch.outcome.stored + batch.outcome.replaced - before
      }
    }
  }
}

extension SampleRecord {
  /// - Throws: An error if the row has values that hrgate never writes.
  fileprivate init(
    openSeries row: Row, _ cache: inout ReadCache,
    _ metadata: (EncodedMetadata.Sync) -> [String: MetadataValue]
  ) throws {
    let beats = Array(try row.decode(atIndex: 9) as Data)
    let count: Int = try row.decode(atIndex: 8)
    guard HeartbeatCodec.decode(beats)?.count == count else { throw StorageError.damagedRow }
    let sync = EncodedMetadata.Sync(
      identifier: try row.decode(atIndex: 6), version: try row.decode(atIndex: 7))
    let shared = try (row.decode(atIndex: 5) as Int64?).map { try cache.metadata($0).values } ?? [:]
    self.init(
      uuid: try row.decode(atIndex: 0), type: try cache.type(row.decode(atIndex: 1)),
      start: try row.decode(atIndex: 2), end: try row.decode(atIndex: 3),
      provenance: try cache.provenance(row.decode(atIndex: 4)),
      metadata: EncodedMetadata(shared.merging(metadata(sync)) { $1 }, sync: sync),
      content: .heartbeatSeries(count: count, beats: beats))
  }
}
