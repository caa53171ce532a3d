import Foundation
import GRDB

/// Inserts a sample of a compressed segment as a row of `sample`, with the same position in the change log.
/// Use it only inside the write access in which it was created.
struct PackedSampleRow {
  private let statement: Statement

  init(in database: Database) throws {
    statement = try database.cachedStatement(
      sql: """
        INSERT INTO sample (id, uuid, type, start, end, provenance, metadata, value, unit)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
  }

  func callAsFunction(
    _ change: Int64, _ uuid: UUID, from start: Int64, to end: Int64, value: Double, _ kind: BlockKind
  ) throws {
    try statement.execute(arguments: [
      change, uuid, kind.type, start, end > start ? end : nil, kind.provenance, kind.metadata, value,
      kind.unit,
    ])
  }
}
