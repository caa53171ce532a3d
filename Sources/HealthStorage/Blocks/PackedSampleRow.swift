import Foundation
import GRDB

/// Makes a row again of a sample that was packed, with the place in the change log that it has. Valid only
/// within the write access that it was made in.
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
