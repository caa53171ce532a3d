import Foundation
import GRDB

/// One batch being saved, inside its transaction.
struct BatchSave {
  private(set) var outcome = SaveOutcome()
  private(set) var interning: Interning
  /// By the UUID of a record that was not stored, the sample with its sync identifier that was there.
  private var standIns: [UUID: Int64] = [:]
  private let insertion: SampleInsertion
  private var summaries = SummaryInvalidation()
  private let database: Database

  init(_ rows: InternedRows, in database: Database) throws {
    self.database = database
    interning = try Interning(rows, in: database)
    insertion = try SampleInsertion(in: database)
  }

  mutating func save(_ record: SampleRecord) throws {
    // The samples of a correlation are objects of their own, and there before it.
    if case .correlation(let members) = record.content {
      for member in members { try save(member) }
    }
    let provenance = try interning.provenance(record.provenance)
    let (difference, overflow) = record.end.subtractingReportingOverflow(record.start)
    var references = SampleInsertion.References(
      type: try interning.type(record.type, duration: overflow ? .max : difference),
      provenance: provenance.id,
      metadata: try record.metadata.map { try interning.metadata($0) })
    switch record.content {
    case .quantity(_, let unit): references.unit = try interning.unit(unit)
    case .quantitySeries(let series): references.unit = try interning.unit(series.unit)
    default: break
    }
    try summaries.touch(references.type, start: record.start, end: record.end, in: database)
    if let sync = record.metadata?.sync {
      let key = SyncKey(source: provenance.source, type: references.type, sync: sync)
      try saveSynced(record, references, key)
    } else {
      try insert(record, references)
      outcome.stored += 1
    }
  }

  /// To be called when all is saved.
  mutating func finish() throws {
    try summaries.flush(in: database)
  }

  private func insert(_ record: SampleRecord, _ references: SampleInsertion.References) throws {
    try insertion.insert(record, references)
    try SampleContents(database: database).insert(record, standIns)
  }

  /// The object that counts for one that was given to be saved: the stored one with its sync identifier, or itself.
  func counting(for uuid: UUID) throws -> UUID {
    guard let standIn = standIns[uuid] else { return uuid }
    let statement = try database.cachedStatement(sql: "SELECT uuid FROM sample WHERE id = ?")
    return try UUID.fetchOne(statement, arguments: [standIn]) ?? uuid
  }

  /// The samples that count for those that were given. Those that were deleted meanwhile are left out; what replaced them
  /// counts for them.
  func rows(countingFor members: [UUID]) throws -> [Int64] {
    let memberships = Memberships(database: database)
    var rows: [Int64] = []
    var missing: Set<UUID> = []
    for uuid in members {
      if let member = try standIns[uuid] ?? memberships.row(of: uuid) {
        rows.append(member)
      } else {
        missing.insert(uuid)
      }
    }
    return rows + (try memberships.replacements(of: missing))
  }

  /// Relates a sample to an object or a part of it.
  /// - Throws: `StorageFailure.notStored` if one of the two is not.
  func relate(_ member: UUID, to container: UUID, part: UUID?) throws {
    let memberships = Memberships(database: database)
    guard let holder = try memberships.row(of: container) else { throw StorageFailure.notStored([container]) }
    guard let row = try standIns[member] ?? memberships.row(of: member) else {
      throw StorageFailure.notStored([member])
    }
    try memberships.relate(row, to: Memberships.Holder(container: holder, part: part))
  }

  /// - Throws: `StorageFailure.notStored` if there is no such relation.
  func unrelate(_ member: UUID, from container: UUID, part: UUID?) throws {
    let memberships = Memberships(database: database)
    guard let holder = try memberships.row(of: container), let row = try memberships.row(of: member),
      try memberships.unrelate(row, from: Memberships.Holder(container: holder, part: part))
    else { throw StorageFailure.notStored([member]) }
  }
}

// MARK: - Sync identifiers

extension BatchSave {
  /// The scope of a sync identifier: one source's objects of one type.
  private struct SyncKey {
    var source: Int64
    var type: Int64
    var sync: EncodedMetadata.Sync
  }

  private mutating func saveSynced(
    _ record: SampleRecord, _ references: SampleInsertion.References, _ key: SyncKey
  ) throws {
    let statement = try database.cachedStatement(
      sql: "SELECT sample, version FROM synced_object WHERE source = ? AND type = ? AND identifier = ?")
    let old = try Row.fetchOne(statement, arguments: [key.source, key.type, key.sync.identifier])
    if let old {
      guard key.sync.version > old[1] as Int64 else {
        outcome.ignored += 1
        standIns[record.uuid] = old[0]
        return
      }
      let memberships = Memberships(database: database)
      let holders = try memberships.holders(of: old[0])
      try Tombstones(database: database).bury(old[0], savedBy: key.source)
      outcome.replaced += 1
      try insert(record, references)
      try memberships.add(database.lastInsertedRowID, to: holders)
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
