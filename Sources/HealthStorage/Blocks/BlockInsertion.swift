import Foundation
import GRDB
import PackedSamples

/// Writes blocks. Valid only within the write access that it was made in.
struct BlockInsertion {
  private let database: Database
  private let statement: Statement

  init(in database: Database) throws {
    self.database = database
    statement = try database.cachedStatement(
      sql: """
        INSERT INTO block
          (type, unit, provenance, metadata, start, end, first_change, last_change, count, samples)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
  }

  /// - Parameters:
  ///   - block: at least one sample, all of one hour.
  ///   - bytes: the block encoded.
  /// - Returns: its row.
  @discardableResult
  func insert(_ block: SampleBlock, _ bytes: [UInt8], _ references: SampleInsertion.References) throws
    -> Int64
  {
    let end = block.starts.indices.lazy.map { block.starts[$0] + block.durations[$0] }.max()
    try statement.execute(arguments: [
      references.type, references.unit, references.provenance, references.metadata, block.starts.first, end,
      block.changes.min(), block.changes.max(), block.count, Data(bytes),
    ])
    return database.lastInsertedRowID
  }
}
