import Foundation
import GRDB

/// Drops unreadable blocks from the new store, records which hours they covered, and removes duplicate
/// samples.
extension RowRescue {
  func rescueBlocks(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    try rescueRows(of: "block", in: database, &recovered)
  }

  /// Unpacks all readable batches into rows. The new store has no batches; they would soon be compacted
  /// anyway.
  func rescueBatches(
    of damaged: Database, in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    try noteLostBatches(of: damaged, in: database, &recovered)
    try rescueRows(of: "batch", in: database, &recovered)
  }

  private func rescueRows(
    of table: String, in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    try database.execute(sql: "DELETE FROM \(table) WHERE \(PackedRow.isNone)")
    if database.changesCount > 0 { recovered.drop(database.changesCount, from: table) }
    let rows = try PackedRows(in: database).all([table])
    guard !rows.isEmpty else { return }
    var rescue = try BlockRescue(in: database)
    for row in rows { try rescue.keep(row, &recovered) }
  }

  /// Records blocks that could not be read but are listed in an index of the damaged store.
  func noteLostBlocks(
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

  private func noteLostBatches(
    of damaged: Database, in database: Database, _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    guard recovered.damaged.contains("batch") else { return }
    let kept = Set(try Int64.fetchAll(database, sql: "SELECT id FROM batch"))
    let rows = try? Row.fetchAll(
      damaged, sql: "SELECT id, start FROM batch INDEXED BY batch_start ORDER BY start")
    var lost: [String] = []
    for row in rows ?? [] {
      guard let id = try? row.decode(Int64.self, atIndex: 0), !kept.contains(id),
        let start = try? row.decode(Int64.self, atIndex: 1),
        case .damaged(let text) = BlockReadError.damaged(batchFrom: start, .file)
      else { continue }
      // Report each hour once, not each second.
      if lost.last != text { lost.append(text) }
    }
    recovered.lostBlocks += lost
  }
}

/// Takes over one block after another, in order of start. A block that shares a UUID or a change log position
/// with another block or a row is unpacked, so that its other samples are kept.
private struct BlockRescue {
  private let database: Database
  private let reader: BlockReader
  private let bury: Statement
  private let lengthen: Statement
  private let insert: PackedSampleRow
  /// Positions in the change log that are in use.
  private var taken = NumberSet()
  /// The highest position in the change log in use; new positions are counted up from here.
  private var free: Int64
  /// The hour being processed, and its UUIDs kept so far. Blocks of other hours cannot hold any of them.
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
    // Ignores values of 2^53 and more: a damaged ID may have any value.
    free =
      try Int64.fetchOne(
        database,
        sql: """
          SELECT max(id) FROM (SELECT max(id) AS id FROM sample WHERE id < \(1 << 53)
            UNION ALL SELECT max(id) FROM deleted_object WHERE id < \(1 << 53)
            UNION ALL SELECT max(last_change) FROM block WHERE last_change < \(1 << 53)
            UNION ALL SELECT max(id) FROM batch WHERE id < \(1 << 53))
          """) ?? 0
    let ids = try Int64.fetchCursor(database, sql: "SELECT id FROM sample")
    while let id = try ids.next() { _ = taken.insert(id) }
  }

  mutating func keep(_ row: PackedRow, _ recovered: inout StoreUpkeep.Recovered) throws {
    var blocks: [(StoredBlock, [UUID])] = []
    do throws(BlockReadError) {
      for block in try reader.blocks(row) { blocks.append((block, try reader.uuidList(of: block))) }
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      try PackedRows(in: database).delete(row)
      recovered.drop(1, from: row.isBatch ? "batch" : "block")
      // Report each hour once, not each second.
      if recovered.lostBlocks.last != text { recovered.lostBlocks.append(text) }
      return
    }
    if row.isBatch { try remove(row, &recovered) }
    for (block, held) in blocks { try keep(block, held, &recovered) }
  }

  private func remove(_ row: PackedRow, _ recovered: inout StoreUpkeep.Recovered) throws {
    try PackedRows(in: database).delete(row)
    recovered.kept[row.isBatch ? "batch" : "block", default: 0] -= 1
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
    if !block.header.place.row.isBatch, Set(held).count == held.count, uuids.isDisjoint(with: held),
      !block.changes.contains(where: taken.contains)
    {
      for change in block.changes { _ = taken.insert(change) }
      uuids.formUnion(held)
      recovered.kept["sample", default: 0] += block.count
      try bury.execute(arguments: SQLCondition.list(of: block.changes).arguments)
    } else {
      if !block.header.place.row.isBatch { try remove(block.header.place.row, &recovered) }
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
