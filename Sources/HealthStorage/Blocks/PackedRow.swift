import GRDB

/// The row in which samples are packed: of `block`, where it is one block, or of `batch`, where there are
/// several small ones. As numbers those of batches are below zero.
struct PackedRow: Hashable, Comparable, Sendable {
  let number: Int64

  init(number: Int64) { self.number = number }

  static func block(_ id: Int64) -> PackedRow { PackedRow(number: id) }
  static func batch(_ id: Int64) -> PackedRow { PackedRow(number: -id) }

  var isBatch: Bool { number < 0 }
  /// Its id in its table.
  var id: Int64 { isBatch ? -number : number }

  static func < (left: PackedRow, right: PackedRow) -> Bool { left.number < right.number }
}

/// Where a block lies: its row, and of a batch which of its blocks it is.
struct BlockPlace: Hashable, Sendable {
  let row: PackedRow
  var part = 0
}

/// Valid only within the access that it was made in.
struct PackedRows {
  private let database: Database

  init(in database: Database) { self.database = database }

  func delete(_ row: PackedRow) throws {
    let sql = row.isBatch ? "DELETE FROM batch WHERE id = ?" : "DELETE FROM block WHERE id = ?"
    try database.cachedStatement(sql: sql).execute(arguments: [row.id])
  }

  /// All there are, in order of start, by the indexes: where a page of a table cannot be read, what lies on
  /// the others still can.
  var all: [PackedRow] {
    get throws {
      try Int64.fetchAll(
        database,
        sql: """
          SELECT number FROM (
            SELECT id AS number, start FROM block INDEXED BY block_start
            UNION ALL SELECT -id, start FROM batch INDEXED BY batch_start
          ) ORDER BY start
          """
      ).map(PackedRow.init)
    }
  }
}
