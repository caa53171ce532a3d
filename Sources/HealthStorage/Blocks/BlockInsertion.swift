import Foundation
import GRDB
import PackedSamples

/// Writes compressed segments to the table `block`. Use it only inside the write access in which it was
/// created.
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
  ///   - block: At least one sample, all within one hour.
  ///   - bytes: The encoded compressed segment.
  /// - Returns: The ID of its row.
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

  /// - Parameter header: The columns of the row. Its ID is ignored.
  func insert(_ header: StoredBlock.Header, _ bytes: [UInt8]) throws {
    let kind = header.kind
    try statement.execute(arguments: [
      kind.type, kind.unit, kind.provenance, kind.metadata, header.start, header.end, header.firstChange,
      header.lastChange, header.count, Data(bytes),
    ])
  }
}
