import GRDBSQLite

/// The rows of one table in which there may be what a question is about, one after another, by an index
/// alone: rows of blocks are large.
final class CandidateRows {
  struct Candidate {
    let row: PackedRow
    /// No sample of the row, or of any candidate after it, comes before this in the order.
    let bound: Int64
  }

  enum Table {
    case blocks, batches
  }

  enum Index {
    /// In order of start.
    case start
    /// In no order.
    case change
  }

  private let question: PackedSampleRequest
  private let table: Table
  private let index: Index
  private let statement: OpaquePointer
  /// What was read and comes next, the first one last.
  private var ahead: [Candidate] = []
  /// SQLite begins anew where a statement is asked again after its end.
  private var isAtEnd = false
  /// What was read and comes after that.
  private var beyond: (candidate: Candidate, start: Int64)?

  /// - Returns: nil where there is no such table: an older store has no batches.
  /// - Throws: `BlockReadError`.
  init?(
    of table: Table, _ index: Index, _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) {
    var statement: OpaquePointer?
    let sql = Self.sql(table, index, question)
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      let code = sqlite3_extended_errcode(connection)
      let isThere = sqlite3_table_column_metadata(
        connection, "main", table == .blocks ? "block" : "batch", nil, nil, nil, nil, nil, nil)
      guard isThere == SQLITE_OK else { return nil }
      throw .sqlite(code)
    }
    self.statement = statement
    self.question = question
    self.table = table
    self.index = index
    // A block lies within an hour: what starts at a time is in none that begins before its hour.
    let starts = question.starts
    let from = starts.lowerBound < 0 ? .min : HourSummary.start(of: starts.lowerBound)
    sqlite3_bind_int64(statement, 1, from)
    sqlite3_bind_int64(statement, 2, starts.upperBound)
    sqlite3_bind_int64(statement, 3, question.changes.lowerBound)
    sqlite3_bind_int64(statement, 4, question.changes.upperBound)
    switch table {
    case .blocks: if let type = question.type { sqlite3_bind_int64(statement, 5, type) }
    // What starts at a time or after it ends no earlier; a batch takes a moment of its hour.
    case .batches: sqlite3_bind_int64(statement, 5, starts.lowerBound)
    }
  }

  deinit { sqlite3_finalize(statement) }

  /// - Returns: a query of the rows' ids, starts, first and last places in the change log, and ends where an
  ///   index has them.
  private static func sql(_ table: Table, _ index: Index, _ question: PackedSampleRequest) -> String {
    let direction = question.isDescending ? "DESC" : "ASC"
    let order = index == .start ? "ORDER BY start \(direction)" : ""
    switch table {
    case .blocks:
      return """
        SELECT id, start, first_change, last_change, NULL FROM main.block
        INDEXED BY \(index == .start ? "block_start" : "block_change")
        WHERE start BETWEEN ?1 AND ?2 AND last_change >= ?3 AND first_change <= ?4
          \(question.type == nil ? "" : "AND type = ?5") \(order)
        """
    case .batches:
      // The place in the change log is the row's.
      return """
        SELECT id, start, first_change, id, end FROM main.batch
        \(index == .start ? "INDEXED BY batch_start" : "NOT INDEXED")
        WHERE start BETWEEN ?1 AND ?2 AND end >= ?5 AND id >= ?3 AND first_change <= ?4 \(order)
        """
    }
  }

  /// - Returns: nil after the last one.
  /// - Throws: `BlockReadError`.
  func next() throws(BlockReadError) -> Candidate? {
    if let next = ahead.popLast() { return next }
    if beyond == nil { beyond = try step() }
    guard let (first, start) = beyond else { return nil }
    beyond = nil
    // In order of start the ends of an hour's batches are in none. The whole hour is read, from the index
    // alone, so that whoever asks for the newest sample opens one batch, and not all.
    guard table == .batches, index == .start, question.isDescending else { return first }
    ahead = [first]
    let hour = HourSummary.start(ofHourOf: start)
    while let (candidate, start) = try step() {
      guard HourSummary.start(ofHourOf: start) == hour else {
        beyond = (candidate, start)
        break
      }
      ahead.append(candidate)
    }
    ahead.sort { ($0.bound, $0.row) > ($1.bound, $1.row) }
    return ahead.popLast()
  }

  private func step() throws(BlockReadError) -> (candidate: Candidate, start: Int64)? {
    while !isAtEnd {
      let code = sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw .sqlite(code) }
        isAtEnd = true
        break
      }
      let (id, start) = (sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1))
      let (first, last) = (sqlite3_column_int64(statement, 2), sqlite3_column_int64(statement, 3))
      guard question.concerns(start: start, firstChange: first, lastChange: last) else { continue }
      let row = PackedRow(id: id, isBatch: table == .batches)
      return (Candidate(row: row, bound: bound(start, first, last)), start)
    }
    return nil
  }

  private func bound(_ start: Int64, _ firstChange: Int64, _ lastChange: Int64) -> Int64 {
    guard !question.isByChange else { return question.isDescending ? 0 &- lastChange : firstChange }
    guard question.isDescending else { return start }
    // A block lies within an hour: what starts in it starts before its end, and no sample starts after it
    // ends.
    let isKnown = table == .batches
    return 0 &- (isKnown ? sqlite3_column_int64(statement, 4) : HourSummary.lastMoment(ofHourOf: start))
  }
}
