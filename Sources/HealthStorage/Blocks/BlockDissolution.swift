import Foundation
import GRDB
import GRDBSQLite

/// Takes blocks apart into the rows that they were made of, with the ids that these had: before one of their
/// samples is deleted, related or changed in any way, which is done to rows alone.
///
/// Nobody who asks sees a difference: no place in the change log is given out, and no figure changes. Valid
/// only within the write access that it was made in.
struct BlockDissolution {
  private let database: Database
  private let haveBlocks: Bool

  init(in database: Database) throws {
    self.database = database
    haveBlocks = try SampleTables(in: database).haveBlocks
  }

  /// - Parameter sample: its `id`. One that is a row, or not stored, is left as it is.
  func dissolve(holding sample: Int64) throws {
    guard haveBlocks, try !isRow(sample) else { return }
    try dissolve(SQLCondition(sql: "id = ?", arguments: [sample]))
  }

  func dissolve(holding uuid: UUID) throws {
    guard haveBlocks else { return }
    try dissolve(SQLCondition(sql: "uuid = ?", arguments: [uuid]))
  }

  /// - Parameter condition: on samples: the blocks of those for which it holds.
  func dissolve(_ condition: SQLCondition) throws {
    guard haveBlocks else { return }
    let blocks = try Int64.fetchAll(
      database,
      sql: "SELECT DISTINCT block FROM \(SampleTables.Table.blocks.sql) WHERE \(condition.sql)",
      arguments: condition.arguments)
    guard !blocks.isEmpty else { return }
    let reader = BlockReader(in: database)
    for block in blocks { try dissolve(block, reader) }
  }

  private func isRow(_ sample: Int64) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(sql: "SELECT 1 FROM sample WHERE id = ?"), arguments: [sample]) ?? false
  }

  private func dissolve(_ id: Int64, _ reader: BlockReader) throws {
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO sample (id, uuid, type, start, end, provenance, metadata, value, unit)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    do {
      let block = try reader.block(id)
      let header = block.header
      for place in 0..<block.count {
        let (start, end) = (block.starts[place], block.end(at: place))
        try insert.execute(arguments: [
          block.changes[place], UUID(words: try block.uuid(at: place)), header.type, start,
          end > start ? end : nil, header.provenance, header.metadata, block.values[place], header.unit,
        ])
      }
      try database.cachedStatement(sql: "DELETE FROM block WHERE id = ?").execute(arguments: [id])
    } catch let flaw as StoredBlockFlaw {
      throw BlockFailure.damaged("block \(id) cannot be read: \(flaw)").storageFailure
    } catch let failure as BlockFailure {
      throw failure.storageFailure
    }
  }
}

extension UUID {
  /// - Parameter words: its two halves, the first byte as the most significant.
  init(words: (high: UInt64, low: UInt64)) {
    self = withUnsafeBytes(of: (words.high.bigEndian, words.low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  /// Its two halves, the first byte as the most significant.
  var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid) {
      (
        $0.loadUnaligned(as: UInt64.self).bigEndian,
        $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
      )
    }
  }
}
