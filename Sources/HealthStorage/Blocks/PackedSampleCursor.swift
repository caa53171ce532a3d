import GRDBSQLite
import PackedSamples

/// The samples of all blocks that a question is about, one after another in its order.
///
/// A block is decoded when its first sample may come next, and dropped after its last: memory holds those
/// that overlap.
final class PackedSampleCursor {
  /// A block whose samples come, and which of them comes next.
  private struct Open: Comparable {
    let row: BlockRow
    let block: SampleBlock
    /// The places of its samples, in order.
    let places: [Int]
    let isByChange: Bool
    let sign: Int64
    var next = 0

    var place: Int { places[next] }

    private var key: (Int64, Int64) {
      let change = sign &* block.changes[place]
      return isByChange ? (change, 0) : (sign &* block.starts[place], change)
    }

    static func == (left: Open, right: Open) -> Bool { left.key == right.key }
    static func < (left: Open, right: Open) -> Bool { left.key < right.key }
  }

  private let connection: OpaquePointer
  private let question: PackedSampleQuestion
  /// Those that are not opened yet; the last comes next.
  private var waiting: [BlockRow] = []
  private var open = BinaryHeap<Open>()

  /// - Throws: `BlockFailure`.
  init(_ question: PackedSampleQuestion, _ connection: OpaquePointer) throws {
    self.connection = connection
    self.question = question
    waiting = question.isEmpty ? [] : try candidates()
    try openWhatIsDue()
  }

  /// The sample at which the cursor stands; nil at the end.
  var current: (row: BlockRow, block: SampleBlock, place: Int)? {
    open.least.map { ($0.row, $0.block, $0.place) }
  }

  func advance() throws {
    open.updateLeast {
      $0.next += 1
      return $0.next < $0.places.count
    }
    try openWhatIsDue()
  }

  // MARK: - Blocks

  private func candidates() throws -> [BlockRow] {
    // A block lies within an hour of UTC: what starts before is over before.
    let reach = HourSummary.length
    let from = question.starts.lowerBound < .min + reach ? .min : question.starts.lowerBound - reach
    let key =
      question.isByChange
      ? (question.isDescending ? "last_change" : "first_change") : (question.isDescending ? "end" : "start")
    let sql = """
      SELECT \(BlockRow.columns) FROM main.block
      WHERE start BETWEEN ? AND ? AND last_change >= ? AND first_change <= ? AND (?5 IS NULL OR type = ?5)
      ORDER BY \(key) \(question.isDescending ? "ASC" : "DESC"), id
      """
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw BlockFailure.sqlite(sqlite3_extended_errcode(connection))
    }
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_int64(statement, 1, from)
    sqlite3_bind_int64(statement, 2, question.starts.upperBound)
    sqlite3_bind_int64(statement, 3, question.changes.lowerBound)
    sqlite3_bind_int64(statement, 4, question.changes.upperBound)
    if let type = question.type { sqlite3_bind_int64(statement, 5, type) }
    var rows: [BlockRow] = []
    while true {
      let code = sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw BlockFailure.sqlite(code) }
        return rows
      }
      rows.append(BlockRow(statement))
    }
  }

  private func openWhatIsDue() throws {
    while let row = waiting.last, isDue(row) {
      waiting.removeLast()
      let block = try decode(row)
      let places = places(in: block)
      guard !places.isEmpty else { continue }
      open.insert(
        Open(
          row: row, block: block, places: places, isByChange: question.isByChange,
          sign: question.isDescending ? -1 : 1))
    }
  }

  /// Whether a sample of the block may come before the one at which the cursor stands.
  private func isDue(_ row: BlockRow) -> Bool {
    guard let current else { return true }
    let (first, at): (Int64, Int64) =
      switch (question.isByChange, question.isDescending) {
      case (true, false): (row.firstChange, current.block.changes[current.place])
      case (true, true): (-row.lastChange, -current.block.changes[current.place])
      case (false, false): (row.start, current.block.starts[current.place])
      // No sample starts after the last one ends.
      case (false, true): (0 &- row.end, 0 &- current.block.starts[current.place])
      }
    return first <= at
  }

  private func decode(_ row: BlockRow) throws -> SampleBlock {
    var blob: OpaquePointer?
    let code = sqlite3_blob_open(connection, "main", "block", "samples", row.id, 0, &blob)
    guard code == SQLITE_OK, let blob else { throw BlockFailure.sqlite(code) }
    defer { sqlite3_blob_close(blob) }
    let count = Int(sqlite3_blob_bytes(blob))
    var read = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      read = sqlite3_blob_read(blob, buffer.baseAddress, Int32(count), 0)
      initialized = read == SQLITE_OK ? count : 0
    }
    guard read == SQLITE_OK else { throw BlockFailure.sqlite(read) }
    do {
      return try SampleBlock(decoding: bytes)
    } catch {
      throw BlockFailure.damaged(row, error)
    }
  }

  private func places(in block: SampleBlock) -> [Int] {
    var places = block.starts.indices.filter {
      question.starts.contains(block.starts[$0]) && question.changes.contains(block.changes[$0])
    }
    if let ends = question.ends {
      places.removeAll { !ends.contains(block.starts[$0] + block.durations[$0]) }
    }
    if question.isByChange {
      places.sort { block.changes[$0] < block.changes[$1] }
    } else {
      places.sort { (block.starts[$0], block.changes[$0]) < (block.starts[$1], block.changes[$1]) }
    }
    return question.isDescending ? places.reversed() : places
  }
}

/// Why the samples of a block cannot be told.
enum BlockFailure: Error {
  case sqlite(Int32)
  case damaged(BlockRow, BlockFlaw)
}
