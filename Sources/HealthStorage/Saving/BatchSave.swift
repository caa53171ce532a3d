import Foundation
import GRDB

/// Samples that are being saved in one transaction.
struct BatchSave {
  var outcome = SaveOutcome()
  var interning: Interning
  private var replacementRows = ReplacementRows()
  private let insertion: SampleInsertion
  /// Whether the ID of the next row, which is also its change log position, will be greater than all
  /// positions in compressed segments.
  private var isPositionReserved = false
  var summaries = SummaryInvalidation()
  var counts = SampleCounts()
  var stored: StoredIdentities
  /// The latest end of the samples that were stored in compressed segments, by the monitor's address.
  var inSegments: [String: Int64] = [:]
  let database: Database

  /// - Parameter damaged: Collects the damaged compressed segments that may already contain one of the
  ///   samples.
  init(_ rows: InternedRows, in database: Database, _ damaged: DamagedBlocks) throws {
    self.database = database
    interning = try Interning(rows, in: database)
    insertion = try SampleInsertion(in: database)
    stored = StoredIdentities(in: database, damaged)
  }

  /// - Parameter stored: UUIDs that are already stored. The samples in a correlation may be among them.
  mutating func save(_ record: SampleRecord, besides stored: Set<UUID> = []) throws {
    let provenance = try interning.provenance(record.provenance)
    let (difference, overflow) = record.end.subtractingReportingOverflow(record.start)
    var references = SampleInsertion.References(
      type: try interning.type(record.type, duration: overflow ? .max : difference, end: record.end),
      provenance: provenance.id,
      metadata: try record.metadata.map { try interning.metadata($0) })
    switch record.content {
    case .quantity(_, let unit): references.unit = try interning.unit(unit)
    case .quantitySeries(let series): references.unit = try interning.unit(series.unit)
    default: break
    }
    let key = record.metadata?.sync.map {
      SyncKey(source: provenance.source, type: references.type, sync: $0)
    }
    // The samples in a correlation are stored before it, as separate samples. If the correlation is ignored,
    // they are not stored.
    if case .correlation(let members) = record.content {
      if let key, try ignores(record, key) {
        outcome.ignored += members.count
        return
      }
      for member in members where !stored.contains(member.uuid) { try save(member) }
    }
    if case .heartbeatSeries = record.content, let key, try !closesOpenSeries(with: record, key) {
      outcome.ignored += 1
    } else if let key {
      try saveSynced(record, references, key)
    } else {
      try insert(record, references)
      outcome.stored += 1
    }
  }

  /// Records that a stored sample replaces one that is not saved.
  mutating func replacementRow(_ row: Int64, for uuid: UUID) { replacementRows.add(row, for: uuid) }

  /// Completes the transaction. Call it after the last sample.
  mutating func finish() throws {
    try summaries.flush(in: database)
    try counts.flush(in: database)
    interning.settle()
  }

  private mutating func insert(_ record: SampleRecord, _ references: SampleInsertion.References) throws {
    try summaries.touch(references.type, start: record.start, end: record.end, in: database)
    if mayBePacked(record), try stored.isPacked(record.uuid) {
      throw SampleInsertion.ConflictError(uuid: record.uuid)
    }
    try rowInsertion().insert(record, references)
    counts.add(references)
    try SampleContents(database: database).insert(record, replacementRows)
  }

  /// Returns the object that inserts rows. The ID of the next row, which is also its change log position,
  /// will be greater than all positions in compressed segments.
  mutating func rowInsertion() throws -> SampleInsertion {
    if !isPositionReserved { try ChangePositions.reserve(in: database) }
    isPositionReserved = true
    return insertion
  }

  /// Records that a compressed segment was written, so that its positions are reserved before the next row is
  /// inserted.
  mutating func segmentsWritten() { isPositionReserved = false }

  /// Returns whether a sample may be in a compressed segment. Heartbeat series never are, but their UUIDs
  /// look like those of heart rates, so searching for one would compute the UUIDs of all heart rates of its
  /// hour.
  private func mayBePacked(_ record: SampleRecord) -> Bool {
    if case .heartbeatSeries = record.content { return false }
    return true
  }

  /// Returns the UUID of the stored sample that is used instead of one that was not saved; `uuid` itself if
  /// it was saved.
  func effective(for uuid: UUID) throws -> UUID {
    guard let replacementRow = replacementRows[uuid] else { return uuid }
    let statement = try database.cachedStatement(sql: "SELECT uuid FROM sample WHERE id = ?")
    return try UUID.fetchOne(statement, arguments: [replacementRow]) ?? uuid
  }

  /// Like `Memberships.effectiveRows(for:_:)`, but also considers samples that are being saved in this
  /// transaction.
  func effectiveRows(for members: [UUID]) throws -> [Int64] {
    let rows = try Memberships(database: database).effectiveRows(for: members, replacementRows)
    // The table `membership` and the permission check below refer to rows, so turn the compressed segments
    // that contain the samples into rows.
    let blocks = try BlockUnpacking(in: database)
    for row in rows { try blocks.unpack(holding: row) }
    return rows
  }

  /// Adds a sample to a container, or to an activity in it.
  /// - Throws: `StorageError.notStored` if the sample or the container is not stored.
  func relate(_ member: UUID, to container: UUID, part: UUID?) throws {
    let memberships = Memberships(database: database)
    guard let holder = try effectiveRows(for: [container]).first else {
      throw StorageError.notStored([container])
    }
    guard let row = try effectiveRows(for: [member]).first else { throw StorageError.notStored([member]) }
    try memberships.relate(row, to: Memberships.Holder(container: holder, part: part))
  }

  /// Removes a sample from a container, or from an activity in it.
  ///
  /// - Throws: `StorageError.notStored` if the sample does not belong to it.
  func unrelate(_ member: UUID, from container: UUID, part: UUID?) throws {
    let memberships = Memberships(database: database)
    guard let holder = try effectiveRows(for: [container]).first,
      let row = try effectiveRows(for: [member]).first,
      try memberships.unrelate(row, from: Memberships.Holder(container: holder, part: part))
    else { throw StorageError.notStored([member]) }
  }
}

// MARK: - Sync identifiers

extension BatchSave {
  /// A sync identifier, which is unique among the samples of one source and type.
  private struct SyncKey {
    var source: Int64
    var type: Int64
    var sync: EncodedMetadata.Sync
  }

  private func stored(_ key: SyncKey) throws -> (sample: Int64, version: Int64)? {
    let statement = try database.cachedStatement(
      sql: "SELECT sample, version FROM synced_object WHERE source = ? AND type = ? AND identifier = ?")
    let row = try Row.fetchOne(statement, arguments: [key.source, key.type, key.sync.identifier])
    return try row.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }
  }

  /// Returns whether a sample with this sync identifier and the same or a greater version is stored. If so,
  /// counts the new sample as ignored.
  private mutating func ignores(_ record: SampleRecord, _ key: SyncKey) throws -> Bool {
    guard let old = try stored(key), key.sync.version <= old.version else { return false }
    outcome.ignored += 1
    replacementRows.add(old.sample, for: record.uuid)
    return true
  }

  /// Returns the samples in a container, so that they can be moved to the newer version that replaces it.
  /// Returns none for a correlation, whose newer version has its own samples.
  private func members(
    of old: Int64, goingTo record: SampleRecord
  ) throws -> [(member: Int64, part: UUID?)] {
    if case .correlation = record.content { return [] }
    return try Memberships(database: database).members(of: old)
  }

  /// Removes an unfinished heartbeat series, because it is now saved as a finished series.
  /// - Returns: Whether to save the finished series. `false` if the user has deleted it, or if another
  ///   gateway is measuring a newer version.
  private func closesOpenSeries(with record: SampleRecord, _ key: SyncKey) throws -> Bool {
    let series = OpenSeries(database: database)
    let condition = "type = ? AND sync_identifier = ?"
    guard let open = try series.row(condition, [key.type, key.sync.identifier]) else { return true }
    guard open.uuid == record.uuid || open.version <= key.sync.version else { return false }
    try series.remove(open.uuid)
    return !(open.isDeleted && open.uuid == record.uuid)
  }

  /// Prepares saving an unfinished heartbeat series: deletes an older, finished version of it, such as one
  /// from a recording imported in the meantime.
  /// - Returns: Whether to save the series; `false` if the finished version is at least as new.
  mutating func makeWay(
    for sync: EncodedMetadata.Sync, ofType type: Int64, from source: Int64
  ) throws -> Bool {
    guard let old = try stored(SyncKey(source: source, type: type, sync: sync)) else { return true }
    guard old.version < sync.version else { return false }
    try Tombstones(database: database).bury(old.sample, savedBy: source, &summaries)
    return true
  }

  private mutating func saveSynced(
    _ record: SampleRecord, _ references: SampleInsertion.References, _ key: SyncKey
  ) throws {
    if try ignores(record, key) { return }
    if let old = try stored(key) {
      let memberships = Memberships(database: database)
      let holders = try memberships.holders(of: old.sample)
      let members = try members(of: old.sample, goingTo: record)
      let attachments = try AttachmentHandover(from: old.sample, in: database)
      try Tombstones(database: database).bury(old.sample, savedBy: key.source, &summaries)
      outcome.replaced += 1
      try insert(record, references)
      let successor = database.lastInsertedRowID
      replacementRows.replace(old.sample, by: successor)
      try memberships.add(successor, to: holders)
      try memberships.add(members, to: successor)
      try attachments.give(to: successor)
    } else {
      outcome.stored += 1
      try insert(record, references)
    }
    try database.cachedStatement(
      sql: "INSERT INTO synced_object (sample, source, type, identifier, version) VALUES (?, ?, ?, ?, ?)"
    ).execute(
      arguments: [
        database.lastInsertedRowID, key.source, key.type, key.sync.identifier, key.sync.version,
      ])
  }
}
