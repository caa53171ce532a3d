import GRDB
import GRDBSQLite

/// Reads blocks of a connection by the ids of their rows.
final class BlockReader {
  let connection: OpaquePointer
  private var statement: OpaquePointer?

  init(_ connection: OpaquePointer) { self.connection = connection }

  convenience init(in database: Database) {
    // Whoever has a database within an access has a connection.
    self.init(database.sqliteConnection!)
  }

  deinit { sqlite3_finalize(statement) }

  /// - Throws: `BlockFailure`.
  func block(_ id: Int64) throws(BlockFailure) -> StoredBlock {
    guard let block = try block(id, of: nil) else { throw unreadable(id, SQLITE_CORRUPT) }
    return block
  }

  /// - Parameter provenances: the only ones that are asked for; nil for all.
  /// - Returns: nil for a block of another one, of which nothing but the row is looked at.
  /// - Throws: `BlockFailure`.
  func block(_ id: Int64, of provenances: Set<Int64>?) throws(BlockFailure) -> StoredBlock? {
    guard let (header, bytes, source) = try row(id, provenances) else { return nil }
    do {
      return try StoredBlock(header, bytes, source: source)
    } catch {
      throw failure(header, error)
    }
  }

  /// - Returns: the failure that names a block's type and hour.
  func failure(_ header: StoredBlock.Header, _ flaw: StoredBlockFlaw) -> BlockFailure {
    .damaged(type: (try? typeName(header.type)) ?? Self.unknownType, start: header.start, flaw)
  }

  private func row(
    _ id: Int64, _ provenances: Set<Int64>?
  ) throws(BlockFailure) -> (StoredBlock.Header, [UInt8], String)? {
    if statement == nil {
      statement = try prepare(
        """
        SELECT type, unit, provenance, metadata, start, end, first_change, last_change, count, samples,
          (SELECT source.bundle_identifier FROM main.provenance
            JOIN main.source_revision ON source_revision.id = provenance.source_revision
            JOIN main.source ON source.id = source_revision.source WHERE provenance.id = block.provenance)
        FROM main.block WHERE id = ?
        """)
    }
    guard let statement else { throw .sqlite(SQLITE_ERROR) }
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, id)
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw unreadable(id, code == SQLITE_DONE ? SQLITE_CORRUPT : code) }
    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    if let provenances, !provenances.contains(number(2)) { return nil }
    let header = StoredBlock.Header(
      id: id, type: number(0), unit: number(1), provenance: number(2),
      metadata: sqlite3_column_type(statement, 3) == SQLITE_NULL ? nil : number(3), start: number(4),
      end: number(5), firstChange: number(6), lastChange: number(7), count: Int(number(8)))
    let bytes = sqlite3_column_blob(statement, 9)
    let size = Int(sqlite3_column_bytes(statement, 9))
    let source = sqlite3_column_text(statement, 10).map { String(cString: $0) } ?? ""
    return (header, Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : size)), source)
  }

  /// Damage of the file is one block's as long as an index still names that.
  private func unreadable(_ id: Int64, _ code: Int32) -> BlockFailure {
    guard code & 0xFF == SQLITE_CORRUPT, let statement = try? prepare(Self.nameByIndex) else {
      return .sqlite(code)
    }
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_int64(statement, 1, id)
    guard sqlite3_step(statement) == SQLITE_ROW else { return .sqlite(code) }
    let type = try? typeName(sqlite3_column_int64(statement, 0))
    return .damaged(
      type: type ?? Self.unknownType, start: sqlite3_column_int64(statement, 1), .file)
  }

  private static let nameByIndex = "SELECT type, start FROM main.block INDEXED BY block_start WHERE +id = ?"
  private static let unknownType = "an unknown type"

  private func typeName(_ id: Int64) throws(BlockFailure) -> String? {
    guard let statement = try prepare("SELECT identifier FROM main.object_type WHERE id = ?") else {
      return nil
    }
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_int64(statement, 1, id)
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else {
      return nil
    }
    return String(cString: text)
  }

  private func prepare(_ sql: String) throws(BlockFailure) -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard code == SQLITE_OK else { throw .sqlite(sqlite3_extended_errcode(connection)) }
    return statement
  }
}
