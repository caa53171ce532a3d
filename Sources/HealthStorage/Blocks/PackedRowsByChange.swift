import GRDB

/// Reads samples in compressed segments by their IDs, as SQL rows, which `SampleDatabase.record` turns into
/// records. If the IDs are in ascending order, each segment is decoded once. Use it only inside the database
/// access in which it was created.
struct PackedRowsByChange {
  private let database: Database
  private let ids: SQLCondition
  private var rows: RowCursor?
  private var ahead: Row?
  private var asked = Int64.min

  /// - Parameter ids: The IDs that will be looked up.
  init(_ ids: [Int64], in database: Database) {
    self.database = database
    self.ids = SQLCondition.list(of: ids)
  }

  /// - Returns: The sample's row; `nil` if the sample is in no compressed segment.
  mutating func row(_ id: Int64) throws -> Row? {
    if rows == nil || id < asked { try begin(at: id) }
    asked = id
    while let row = ahead, Self.id(row) < id { ahead = try rows?.next() }
    guard let row = ahead, Self.id(row) == id else { return nil }
    return row
  }

  private mutating func begin(at id: Int64) throws {
    let table = SampleTables.Table.blocks
    rows = try Row.fetchCursor(
      database,
      sql: """
        \(SampleDatabase.columns(.count, of: table)) FROM \(table.byChange) WHERE id >= ? AND id IN \(ids.sql)
        ORDER BY id
        """,
      arguments: [id] + ids.arguments)
    ahead = try rows?.next()
  }

  private static func id(_ row: Row) -> Int64 { row[12] }
}
