import GRDB

/// The row in which samples are packed: of `block`, where it is one block, or of `batch`, where there are
/// several small ones.
struct PackedRow: Hashable, Comparable, Sendable {
  /// Its id in its table.
  let id: Int64
  let isBatch: Bool

  static func block(_ id: Int64) -> PackedRow { PackedRow(id: id, isBatch: false) }
  static func batch(_ id: Int64) -> PackedRow { PackedRow(id: id, isBatch: true) }

  static func < (left: PackedRow, right: PackedRow) -> Bool { left.number < right.number }
}

extension PackedRow {
  /// As one number, for SQLite.
  var number: Int64 { id << 1 | (isBatch ? 1 : 0) }

  init(number: Int64) { self.init(id: number >> 1, isBatch: number & 1 == 1) }

  /// The same, in SQL, of a row of each table.
  static let numberOfBlock = "id << 1"
  static let numberOfBatch = "id << 1 | 1"

  /// Ids that are none: a damaged number may be any.
  static let isNone = "id NOT BETWEEN 1 AND \(1 << 53)"
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

  /// Whether there are any. A store that is older than batches has none, and an older one no blocks.
  var areAny: Bool {
    get throws {
      try ["block", "batch"].contains { table in
        guard try database.tableExists(table) else { return false }
        return try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(table))") ?? false
      }
    }
  }

  /// All there are, in order of start, by the indexes: where a page of a table cannot be read, what lies on
  /// the others still can. Without those whose ids are none.
  /// - Parameter tables: in a store that is older than batches there are none.
  func all(_ tables: [String] = ["block", "batch"]) throws -> [PackedRow] {
    let rows = try tables.filter { try database.tableExists($0) }.map { table in
      """
      SELECT \(table == "batch" ? PackedRow.numberOfBatch : PackedRow.numberOfBlock) AS number, start
      FROM \(table) INDEXED BY \(table)_start WHERE NOT (\(PackedRow.isNone))
      """
    }
    guard !rows.isEmpty else { return [] }
    return try Int64.fetchAll(
      database, sql: "SELECT number FROM (\(rows.joined(separator: " UNION ALL "))) ORDER BY start"
    ).map(PackedRow.init(number:))
  }
}
