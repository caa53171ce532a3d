import GRDB

/// Leaves out of the new store the blocks that cannot be read, and says of which hours they were.
extension RowRescue {
  func dropUndecodedBlocks(in database: Database, _ recovered: inout StoreUpkeep.Recovered) throws {
    let reader = BlockReader(in: database)
    let delete = try database.makeStatement(sql: "DELETE FROM block WHERE id = ?")
    let bury = try database.makeStatement(
      sql: """
        DELETE FROM deleted_object WHERE id BETWEEN ?1 AND ?2 AND id IN (SELECT value FROM json_each(?3))
        """)
    let lengthen = try database.makeStatement(
      sql: "UPDATE object_type SET longest = max(longest, ?) WHERE id = ?")
    for id in try Int64.fetchAll(database, sql: "SELECT id FROM block ORDER BY start, id") {
      let block: StoredBlock
      do throws(BlockFailure) {
        block = try reader.block(id)
        _ = try reader.uuids(of: block)
      } catch {
        guard case .damaged(let text) = error else { throw error.storageFailure }
        try delete.execute(arguments: [id])
        recovered.drop(1, from: "block")
        recovered.lostBlocks.append(text)
        continue
      }
      recovered.kept["sample", default: 0] += block.count
      let (header, list) = (block.header, SQLCondition.list(of: block.changes))
      let bounds: StatementArguments = [header.firstChange, header.lastChange]
      try bury.execute(arguments: bounds + list.arguments)
      if let longest = block.durations?.max() { try lengthen.execute(arguments: [longest, header.type]) }
    }
  }
}
