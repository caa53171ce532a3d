import GRDBSQLite
import PackedSamples

/// What the samples of a block share, and the block.
struct BlockRow {
  var id: Int64
  var type: Int64
  var unit: Int64
  var provenance: Int64
  var metadata: Int64?
  var start: Int64
  var end: Int64
  var firstChange: Int64
  var lastChange: Int64

  /// What a statement for `init(_:)` selects from `block`.
  static let columns = "id, type, unit, provenance, metadata, start, end, first_change, last_change"

  /// - Parameter statement: at a row.
  init(_ statement: OpaquePointer) {
    id = sqlite3_column_int64(statement, 0)
    type = sqlite3_column_int64(statement, 1)
    unit = sqlite3_column_int64(statement, 2)
    provenance = sqlite3_column_int64(statement, 3)
    metadata =
      sqlite3_column_type(statement, 4) == SQLITE_NULL ? nil : sqlite3_column_int64(statement, 4)
    start = sqlite3_column_int64(statement, 5)
    end = sqlite3_column_int64(statement, 6)
    firstChange = sqlite3_column_int64(statement, 7)
    lastChange = sqlite3_column_int64(statement, 8)
  }
}
