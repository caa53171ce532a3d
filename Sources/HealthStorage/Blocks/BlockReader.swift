import GRDB
import GRDBSQLite
import PackedSamples

/// Reads blocks of a connection by the rows in which they are.
final class BlockReader {
  let connection: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  /// The sources of provenances, by the ids of these.
  private var sources: [Int64: String] = [:]

  init(_ connection: OpaquePointer) { self.connection = connection }

  convenience init(in database: Database) {
    // Whoever has a database within an access has a connection.
    self.init(database.sqliteConnection!)
  }

  deinit { for statement in statements.values { sqlite3_finalize(statement) } }

  /// - Throws: `BlockReadError`.
  func block(_ place: BlockPlace) throws(BlockReadError) -> StoredBlock {
    let blocks = try blocks(place.row)
    guard let block = blocks.first(where: { $0.header.place == place }) else {
      throw unreadable(place.row, SQLITE_CORRUPT)
    }
    return block
  }

  /// - Parameter isWanted: whether a kind of samples is asked for.
  /// - Returns: the blocks of a row, without those of others, of which nothing but the numbers are looked at.
  /// - Throws: `BlockReadError`.
  func blocks(
    _ row: PackedRow, where isWanted: (BlockKind) -> Bool = { _ in true }
  ) throws(BlockReadError) -> [StoredBlock] {
    guard !row.isBatch else { return try batch(row, isWanted) }
    guard let (header, bytes) = try single(row, isWanted) else { return [] }
    let source = try source(of: header.kind.provenance)
    do throws(StoredBlockError) {
      return [try StoredBlock(header, bytes, source: source)]
    } catch {
      throw failure(header, error)
    }
  }

  /// As `blocks(_:where:)`. If the current read skips damaged blocks, a damaged row is recorded and has none.
  /// - Throws: `BlockReadError`.
  func readableBlocks(
    _ row: PackedRow, where isWanted: (BlockKind) -> Bool
  ) throws(BlockReadError) -> [StoredBlock] {
    do {
      let blocks = try blocks(row, where: isWanted)
      // Decoded lazily otherwise, when samples of the block have been returned already.
      if DamagedBlocks.skipped != nil { for block in blocks { try checkIdentities(block) } }
      return blocks
    } catch {
      guard let skipped = DamagedBlocks.skipped, case .damaged(let text) = error else { throw error }
      skipped.note(row, text)
      return []
    }
  }

  private func checkIdentities(_ block: StoredBlock) throws(BlockReadError) {
    do throws(StoredBlockError) { _ = try block.identities() } catch { throw failure(block.header, error) }
  }

  /// - Returns: the failure that names a block's type and hour.
  func failure(_ header: StoredBlock.Header, _ flaw: StoredBlockError) -> BlockReadError {
    .damaged(type: (try? typeName(header.kind.type)) ?? Self.unknownType, start: header.start, flaw)
  }

  // MARK: - Rows

  private func single(
    _ row: PackedRow, _ isWanted: (BlockKind) -> Bool
  ) throws(BlockReadError) -> (StoredBlock.Header, [UInt8])? {
    let statement = try statement(
      """
      SELECT type, unit, provenance, metadata, start, end, first_change, last_change, count, samples
      FROM main.block WHERE id = ?
      """)
    defer { sqlite3_reset(statement) }
    try step(statement, row)
    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    let kind = BlockKind(
      type: number(0), unit: number(1), provenance: number(2),
      metadata: sqlite3_column_type(statement, 3) == SQLITE_NULL ? nil : number(3))
    guard isWanted(kind) else { return nil }
    let header = StoredBlock.Header(
      place: BlockPlace(row: row), kind: kind, start: number(4), end: number(5), firstChange: number(6),
      lastChange: number(7), count: Int(number(8)))
    return (header, bytes(statement, 9))
  }

  /// What kinds of samples a batch holds and where, without a look into its blocks.
  /// - Parameter row: of a batch.
  /// - Throws: `BlockReadError`.
  func outline(_ row: PackedRow) throws(BlockReadError) -> (kinds: [BlockKind], extent: PackedExtent) {
    let (parts, told) = try parts(row)
    return (parts.map(BlockKind.init), told)
  }

  private func parts(
    _ row: PackedRow
  ) throws(BlockReadError) -> (parts: [PackedBatch.Part], told: PackedExtent) {
    let statement = try statement(
      "SELECT first_change, start, end, count, samples FROM main.batch WHERE id = ?")
    defer { sqlite3_reset(statement) }
    try step(statement, row)
    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    let told = PackedExtent(
      changes: (number(0), row.id), times: (number(1), number(2)), count: Int(number(3)))
    do throws(BlockError) {
      return (try PackedBatch(bytes(statement, 4)).parts, told)
    } catch {
      throw .damaged(batchFrom: told.times.first, .bytes(error))
    }
  }

  private func batch(
    _ row: PackedRow, _ isWanted: (BlockKind) -> Bool
  ) throws(BlockReadError) -> [StoredBlock] {
    let (parts, told) = try parts(row)
    func failure(_ flaw: StoredBlockError) -> BlockReadError { .damaged(batchFrom: told.times.first, flaw) }
    var blocks: [StoredBlock] = []
    for (number, part) in parts.enumerated() where isWanted(BlockKind(part)) {
      let source = try source(of: part.provenance)
      do throws(StoredBlockError) {
        blocks.append(try StoredBlock(part, at: BlockPlace(row: row, part: number), source: source))
      } catch {
        throw failure(error)
      }
    }
    // Whoever searches rows would pass over what lies elsewhere.
    let found = blocks.reduce(into: PackedExtent()) { $0.add($1.header) }
    guard blocks.count < parts.count ? told.contains(found) : told == found else { throw failure(.row) }
    let hour = HourSummary.start(of: told.times.first)
    guard hour >= 0, HourSummary.start(of: told.times.last) == hour else { throw failure(.hour) }
    return blocks
  }

  private func step(_ statement: OpaquePointer, _ row: PackedRow) throws(BlockReadError) {
    sqlite3_bind_int64(statement, 1, row.id)
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw unreadable(row, code == SQLITE_DONE ? SQLITE_CORRUPT : code) }
  }

  private func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
    let bytes = sqlite3_column_blob(statement, column)
    let size = Int(sqlite3_column_bytes(statement, column))
    return Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : size))
  }

  /// Damage of the file is one row's as long as an index still names that.
  private func unreadable(_ row: PackedRow, _ code: Int32) -> BlockReadError {
    guard code & 0xFF == SQLITE_CORRUPT,
      let statement = try? statement(row.isBatch ? Self.batchByIndex : Self.blockByIndex)
    else { return .sqlite(code) }
    defer { sqlite3_reset(statement) }
    sqlite3_bind_int64(statement, 1, row.id)
    guard sqlite3_step(statement) == SQLITE_ROW else { return .sqlite(code) }
    let start = sqlite3_column_int64(statement, 1)
    guard !row.isBatch else { return .damaged(batchFrom: start, .file) }
    let type = try? typeName(sqlite3_column_int64(statement, 0))
    return .damaged(type: type ?? Self.unknownType, start: start, .file)
  }

  private static let blockByIndex =
    "SELECT type, start FROM main.block INDEXED BY block_start WHERE +id = ?"
  private static let batchByIndex =
    "SELECT NULL, start FROM main.batch INDEXED BY batch_start WHERE +id = ?"
  private static let unknownType = "an unknown type"

  // MARK: - Names

  private func source(of provenance: Int64) throws(BlockReadError) -> String {
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
