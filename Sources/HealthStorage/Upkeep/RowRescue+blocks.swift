import Foundation
import GRDB

/// Leaves out of the new store the blocks that cannot be read, says of which hours they were, and has no
/// sample stored twice.
extension RowRescue {
  func rescueBlocks(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    let ids = try Int64.fetchAll(database, sql: "SELECT id FROM block ORDER BY start, id")
    guard !ids.isEmpty else { return }
    var rescue = try BlockRescue(in: database)
    for id in ids { try rescue.keep(id, &recovered) }
  }

  /// Those that stand in an index of the damaged store, and could not be read.
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
        case .damaged(let text) = BlockFailure.damaged(
          type: try String.fetchOne(name, arguments: [type]) ?? "an unknown type", start: start, .file)
      else { continue }
      recovered.lostBlocks.append(text)
    }
  }
}

/// Takes over one block after another, in order of start. One that holds what another or a row has is taken
/// apart, so that the rest of it is kept.
private struct BlockRescue {
  private let database: Database
  private let reader: BlockReader
  private let delete: Statement
  private let bury: Statement
  private let lengthen: Statement
  private let insert: Statement
  /// Places in the change log that are taken.
  private var taken = NumberSet()
  /// One that no sample has.
  private var free: Int64
  /// The hour that is looked at, and the UUIDs that are kept of it: no other hour's blocks hold any of them.
  private var hour = Int64.min
  private var uuids: Set<UUID> = []

  init(in database: Database) throws {
    self.database = database
    reader = BlockReader(in: database)
    delete = try database.makeStatement(sql: "DELETE FROM block WHERE id = ?")
    bury = try database.makeStatement(
      sql: "DELETE FROM deleted_object WHERE id IN (SELECT value FROM json_each(?))")
    lengthen = try database.makeStatement(
      sql: "UPDATE object_type SET longest = max(longest, ?) WHERE id = ?")
    insert = try database.makeStatement(
      sql: """
        INSERT INTO sample (id, uuid, type, start, end, provenance, metadata, value, unit)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    // A damaged number may be any.
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
    let block: StoredBlock
    let held: [UUID]
    do throws(BlockFailure) {
      block = try reader.block(id)
      held = try reader.uuidList(of: block)
    } catch {
      guard case .damaged(let text) = error else { throw error.storageFailure }
      try delete.execute(arguments: [id])
      recovered.drop(1, from: "block")
      recovered.lostBlocks.append(text)
      return
    }
    let its = HourSummary.start(of: block.header.start)
    if its != hour {
      hour = its
      uuids = try HourIdentities.ofRows(hour, in: database)
    }
    if let longest = block.durations?.max() {
      try lengthen.execute(arguments: [longest, block.header.type])
    }
    if Set(held).count == held.count, uuids.isDisjoint(with: held),
      !block.changes.contains(where: taken.contains)
    {
      for change in block.changes { _ = taken.insert(change) }
      uuids.formUnion(held)
      recovered.kept["sample", default: 0] += block.count
      try bury.execute(arguments: SQLCondition.list(of: block.changes).arguments)
    } else {
      try takeApart(block, held, &recovered)
    }
  }

  private mutating func takeApart(
    _ block: StoredBlock, _ held: [UUID], _ recovered: inout StoreUpkeep.Recovered
  ) throws {
    let header = block.header
    try delete.execute(arguments: [header.id])
    recovered.kept["block", default: 0] -= 1
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
      try insert.execute(arguments: [
        change, held[place], header.type, start, end > start ? end : nil, header.provenance,
        header.metadata, block.values[place], header.unit,
      ])
      recovered.kept["sample", default: 0] += 1
    }
  }
}
