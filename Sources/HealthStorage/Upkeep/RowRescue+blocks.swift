import Foundation
import GRDB

/// Removes from the new store the compressed segments that cannot be decoded, recording their hours, and
/// samples that exist twice.
extension RowRescue {
  func rescueBlocks(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    // Read the IDs from the index, because pages of the table may be damaged.
    let ids = try Int64.fetchAll(
      database, sql: "SELECT id FROM block INDEXED BY block_start ORDER BY start")
    guard !ids.isEmpty else { return }
    var rescue = try BlockRescue(in: database)
    for id in ids { try rescue.keep(id, &recovered) }
  }

  /// Converts the readable batches of an earlier schema into segments of the new store, like the migration.
  func rescueBatches(
    of damaged: Database, in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    guard (try? EarlierBatches(in: damaged)) != nil else { return }
    try database.execute(sql: Schema.batches)
    try copy("batch", from: damaged, to: database, &recovered)
    try recordLostBatches(of: damaged, in: database, &recovered)
    let batches = EarlierBatches(tableIn: database)
    let survey = try batches.survey()
    let (segments, damage) = try batches.convert(survey)
    recovered.kept["block", default: 0] += segments
    recovered.kept["batch"] = nil
    // A row of `batch` may be damaged in several places, so count each row once. An hour may have many such
    // rows, but is reported once.
    let lost = Set(damage.map(\.row.id)).count
    if lost > 0 { recovered.dropped["batch", default: 0] += lost }
    for text in damage.map(\.text) where recovered.lostBlocks.last != text {
      recovered.lostBlocks.append(text)
    }
    try batches.drop(survey)
  }

  /// Reports compressed segments that could not be read but are in an index of the damaged store.
  func recordLostBlocks(
    of damaged: Database, in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    guard recovered.damaged.contains("block") else { return }
    let kept = Set(try Int64.fetchAll(database, sql: "SELECT id FROM block"))
    let name = try database.makeStatement(sql: "SELECT identifier FROM object_type WHERE id = ?")
    let rows = try? Row.fetchAll(
      damaged, sql: "SELECT id, type, start FROM block INDEXED BY block_start ORDER BY start")
    for row in rows ?? [] {
      guard let id = try? row.decode(Int64.self, atIndex: 0), !kept.contains(id),
        let type = try? row.decode(Int64.self, atIndex: 1),
        let start = try? row.decode(Int64.self, atIndex: 2),
        case .damaged(let text) = BlockReadError.damaged(
          type: try String.fetchOne(name, arguments: [type]) ?? "an unknown type", start: start, .file)
      else { continue }
      recovered.lostBlocks.append(text)
    }
  }

  private func recordLostBatches(
    of damaged: Database, in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    guard recovered.damaged.contains("batch") else { return }
    let kept = Set(try Int64.fetchAll(database, sql: "SELECT id FROM batch"))
    let rows = try? Row.fetchAll(
      damaged, sql: "SELECT id, start FROM batch INDEXED BY batch_start ORDER BY start")
    var lost: [String] = []
    for row in rows ?? [] {
      guard let id = try? row.decode(Int64.self, atIndex: 0), !kept.contains(id),
        let start = try? row.decode(Int64.self, atIndex: 1)
      else { continue }
      // Report an hour only once, not for each of its commits.
      let text = EarlierBatches.Damage.text(start, .file)
      if lost.last != text { lost.append(text) }
    }
    recovered.lostBlocks += lost
  }
}

/// Copies compressed segments one by one, in the order of their start. A segment that shares a UUID or a
/// change log position with another segment or a row is turned into rows, so that its other samples are kept.
private struct BlockRescue {
  private let database: Database
  private let reader: BlockReader
  private let bury: Statement
  private let lengthen: Statement
  private let insert: PackedSampleRow
  /// The change log positions in use.
  private var taken = NumberSet()
  /// The greatest change log position in use. New positions follow it.
  private var free: Int64
  /// The current hour, and the UUIDs in those of its compressed segments that were kept. A UUID contains the
  /// sample's time, so segments of other hours cannot contain the same UUIDs.
  private var hour = Int64.min
  private var uuids: Set<UUID> = []

  init(in database: Database) throws {
    self.database = database
    reader = BlockReader(in: database)
    bury = try database.makeStatement(
      sql: "DELETE FROM deleted_object WHERE id IN (SELECT value FROM json_each(?))")
    lengthen = try database.makeStatement(
      sql: "UPDATE object_type SET longest = max(longest, ?) WHERE id = ?")
    insert = try PackedSampleRow(in: database)
    // Ignore values of 2^53 or more, because a damaged ID may have any value.
    free =
      try Int64.fetchOne(
        database,
        sql: """
          SELECT max(id) FROM (SELECT max(id) AS id FROM sample WHERE id < \(1 << 53)
            UNION ALL SELECT max(id) FROM deleted_object WHERE id < \(1 << 53)
            UNION ALL SELECT max(last_change) FROM block WHERE last_change < \(1 << 53))
          """) ?? 0
    let ids = try Int64.fetchCursor(database, sql: "SELECT id FROM sample")
    while let id = try ids.next() { _ = taken.insert(id) }
  }

  mutating func keep(_ id: Int64, _ recovered: inout StoreUpkeep.Recovered) throws {
    let found: (block: StoredBlock, uuids: [UUID])
    do throws(BlockReadError) {
      let block = try reader.block(id)
      found = (block, try reader.uuidList(of: block))
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      try database.deleteBlock(id)
      recovered.drop(1, from: "block")
      // An hour can have thousands of segments of a type. Report it once.
      if recovered.lostBlocks.last != text { recovered.lostBlocks.append(text) }
      return
    }
    try keep(found.block, found.uuids, &recovered)
  }

  private mutating func keep(
    _ block: StoredBlock, _ held: [UUID], _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    let its = HourSummary.start(of: block.header.start)
    if its != hour {
      hour = its
      uuids = try HourIdentities.ofRows(hour, in: database)
    }
    if let longest = block.durations?.max() {
      try lengthen.execute(arguments: [longest, block.header.kind.type])
    }
    // Also turn the compressed segment into rows if its monitor address differs from the source's, because
    // the UUIDs are computed from the address in the segment.
    if !block.contradictsSource, Set(held).count == held.count, uuids.isDisjoint(with: held),
      !block.changes.contains(where: taken.contains)
    {
      for change in block.changes { _ = taken.insert(change) }
      uuids.formUnion(held)
      recovered.kept["sample", default: 0] += block.count
      try bury.execute(arguments: SQLCondition.list(of: block.changes).arguments)
    } else {
      try database.deleteBlock(block.header.id)
      recovered.kept["block", default: 0] -= 1
      try takeApart(block, held, &recovered)
    }
  }

  private mutating func takeApart(
    _ block: StoredBlock, _ held: [UUID], _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    let kind = block.header.kind
    for place in 0..<block.count {
      guard uuids.insert(held[place]).inserted else {
        recovered.dropped["sample", default: 0] += 1
        continue
      }
      var change = block.changes[place]
      if !taken.insert(change) {
        free += 1
        change = free
        _ = taken.insert(change)
      }
      let (start, end) = (block.starts[place], block.end(at: place))
      try insert(change, held[place], from: start, to: end, value: block.values[place], kind)
      recovered.kept["sample", default: 0] += 1
    }
  }
}
