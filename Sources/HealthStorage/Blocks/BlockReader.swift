import GRDB
import GRDBSQLite
import PackedSamples

/// Reads compressed segments (rows of the table `block`) through a database connection.
final class BlockReader {
  let connection: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  /// The bundle identifiers of sources, by the row ID of the provenance (source revision and device).
  private var sources: [Int64: String] = [:]

  init(_ connection: OpaquePointer) { self.connection = connection }

  convenience init(in database: Database) {
    // It is not nil: GRDB sets the connection while the database is accessed.
    self.init(database.sqliteConnection!)
  }

  deinit { for statement in statements.values { sqlite3_finalize(statement) } }

  func block(_ id: Int64) throws(BlockReadError) -> StoredBlock {
    guard let found = try block(id, where: { _ in true }) else { throw unreadable(id, SQLITE_CORRUPT) }
    return found
  }

  /// - Parameter isWanted: Returns whether samples of a kind are needed. Segments of other kinds are not
  ///   decoded.
  /// - Returns: The compressed segment; `nil` if its kind is not needed.
  /// - Throws: `BlockReadError`.
  func block(_ id: Int64, where isWanted: (BlockKind) -> Bool) throws(BlockReadError) -> StoredBlock? {
    guard let (header, bytes) = try row(id, isWanted) else { return nil }
    let source = try source(of: header.kind.provenance)
    do throws(StoredBlockError) {
      return try StoredBlock(header, bytes, source: source)
    } catch {
      throw failure(header, error)
    }
  }

  /// Returns a compressed segment like `block(_:where:)`. If the current read skips damaged segments, a
  /// damaged one is recorded instead, and `nil` is returned.
  /// - Throws: `BlockReadError`.
  func readableBlock(
    _ id: Int64, where isWanted: (BlockKind) -> Bool
  ) throws(BlockReadError) -> StoredBlock? {
    do {
      let found = try block(id, where: isWanted)
      // UUIDs are usually decoded on demand. If they are damaged, that would be too late to skip the
      // compressed segment.
      if DamagedBlocks.skipped != nil, let found { _ = try identities(of: found) }
      return found
    } catch {
      guard let skipped = DamagedBlocks.skipped, case .damaged(let text) = error else { throw error }
      skipped.note(id, text)
      return nil
    }
  }

  func identities(of block: StoredBlock) throws(BlockReadError) -> [PackedIdentity] {
    do throws(StoredBlockError) { return try block.identities() } catch { throw failure(block.header, error) }
  }

  /// Returns an error that names the type and hour of a compressed segment.
  func failure(_ header: StoredBlock.Header, _ error: StoredBlockError) -> BlockReadError {
    .damaged(type: (try? typeName(header.kind.type)) ?? Self.unknownType, start: header.start, error)
  }

  // MARK: - Rows

  private func row(
    _ id: Int64, _ isWanted: (BlockKind) -> Bool
  ) throws(BlockReadError) -> (StoredBlock.Header, [UInt8])? {
    let statement = try statement(
      """
      SELECT type, unit, provenance, metadata, start, end, first_change, last_change, count, samples
      FROM main.block WHERE id = ?
      """)
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, id)
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw unreadable(id, code == SQLITE_DONE ? SQLITE_CORRUPT : code) }
    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    let kind = BlockKind(
      type: number(0), unit: number(1), provenance: number(2),
      metadata: sqlite3_column_type(statement, 3) == SQLITE_NULL ? nil : number(3))
    guard isWanted(kind) else { return nil }
    let header = StoredBlock.Header(
      id: id, kind: kind, start: number(4), end: number(5), firstChange: number(6), lastChange: number(7),
      count: Int(number(8)))
    return (header, bytes(statement, 9))
  }

  private func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
    let bytes = sqlite3_column_blob(statement, column)
    let size = Int(sqlite3_column_bytes(statement, column))
    return Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : size))
  }

  /// Returns the error for a compressed segment whose row SQLite cannot read. If an index still contains the
  /// segment's type and time, the error names them. Otherwise it is only SQLite's error.
  private func unreadable(_ id: Int64, _ code: Int32) -> BlockReadError {
    guard code & 0xFF == SQLITE_CORRUPT, let statement = try? statement(Self.byIndex) else {
      return .sqlite(code)
    }
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, id)
    guard sqlite3_step(statement) == SQLITE_ROW else { return .sqlite(code) }
    let type = try? typeName(sqlite3_column_int64(statement, 0))
    return .damaged(
      type: type ?? Self.unknownType, start: sqlite3_column_int64(statement, 1), .file)
  }

  private static let byIndex = "SELECT type, start FROM main.block INDEXED BY block_start WHERE +id = ?"
  private static let unknownType = "an unknown type"

  // MARK: - Names

  /// Returns the bundle identifier of a provenance's source; empty if it is missing or unreadable.
  func source(of provenance: Int64) throws(BlockReadError) -> String {
    if let known = sources[provenance] { return known }
    let statement = try statement(
      """
      SELECT source.bundle_identifier FROM main.provenance
      JOIN main.source_revision ON source_revision.id = provenance.source_revision
      JOIN main.source ON source.id = source_revision.source WHERE provenance.id = ?
      """)
    let source = text(statement, provenance) ?? ""
    sources[provenance] = source
    return source
  }

  private func typeName(_ id: Int64) throws(BlockReadError) -> String? {
    text(try statement("SELECT identifier FROM main.object_type WHERE id = ?"), id)
  }

  private func text(_ statement: OpaquePointer, _ id: Int64) -> String? {
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, id)
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else {
      return nil
    }
    return String(cString: text)
  }

  private func statement(_ sql: String) throws(BlockReadError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw .sqlite(sqlite3_extended_errcode(connection)) }
    statements[sql] = statement
    return statement
  }
}
