import Foundation
import GRDB

/// One batch being saved, inside its transaction.
struct BatchSave {
  private(set) var outcome = SaveOutcome()
  private(set) var interning: Interning
  /// By the UUID of a record that was not stored, the sample with its sync identifier that was there.
  private var standIns: [UUID: Int64] = [:]
  private let insertion: SampleInsertion
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
    if case .quantity(_, let unit) = record.content { references.unit = try interning.unit(unit) }
    if let sync = record.metadata?.sync {
      let key = SyncKey(source: provenance.source, type: references.type, sync: sync)
      try saveSynced(record, references, key)
    } else {
      try insert(record, references)
      outcome.stored += 1
    }
  }

  private func insert(_ record: SampleRecord, _ references: SampleInsertion.References) throws {
    try insertion.insert(record, references)
    switch record.content {
    case .heartbeatSeries(let count, let beats):
      try database.cachedStatement(
        sql: "INSERT INTO heartbeat_series (sample, count, beats) VALUES (?, ?, ?)"
      )
      .execute(arguments: [database.lastInsertedRowID, count, Data(beats ?? [])])
    case .archive(let archive):
      try database.cachedStatement(sql: "INSERT INTO archived_sample (sample, archive) VALUES (?, ?)")
        .execute(arguments: [database.lastInsertedRowID, Data(archive)])
    case .correlation(let members):
      try Memberships(database: database).add(members.map(\.uuid), to: database.lastInsertedRowID, standIns)
    case .quantity, .category:
      break
    }
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
      let containers = try memberships.containers(of: old[0])
      try Tombstones(database: database).bury(old[0], savedBy: key.source)
      outcome.replaced += 1
      try insert(record, references)
      try memberships.add(database.lastInsertedRowID, to: containers)
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
