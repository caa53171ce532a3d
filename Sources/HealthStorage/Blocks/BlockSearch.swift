import GRDBSQLite

/// The blocks that may hold what a question is about, one after another, by the indexes alone: rows of blocks
/// are large.
///
/// In order of start they are found as they are asked for, so that a page costs what it shows. In that of the
/// change log all are found at once, for no index has the first places in order; and where nothing but places
/// in the change log is asked for.
final class BlockSearch {
  struct Candidate {
    let row: PackedRow
    /// No sample of the block, or of any candidate after it, comes before this in the order.
    let bound: Int64
  }

  private let connection: OpaquePointer
  private let question: PackedSampleQuestion
  /// In order of start.
  private var statement: OpaquePointer?
  /// Where they were found all at once; the last one comes next.
  private var found: [Candidate] = []
  /// The one that comes next.
  private(set) var next: Candidate?

  /// - Throws: `BlockFailure`.
  init(_ question: PackedSampleQuestion, _ connection: OpaquePointer) throws(BlockFailure) {
    self.question = question
    self.connection = connection
    guard !question.isEmpty else { return }
    if question.isByChange || question.isNarrowerByChange {
      found = try Self.findAll(question, connection)
      next = found.popLast()
    } else {
      statement = try Self.statement(.start, question, connection)
      try step()
    }
  }

  deinit { sqlite3_finalize(statement) }

  /// - Throws: `BlockFailure`.
  func advance() throws(BlockFailure) {
    guard statement != nil else {
      next = found.popLast()
      return
    }
    try step()
  }

  /// The rows of all blocks that may hold what a question is about.
  /// - Throws: `BlockFailure`.
  static func all(
    _ question: PackedSampleQuestion, _ connection: OpaquePointer
  ) throws(BlockFailure) -> [PackedRow] {
    question.isEmpty ? [] : try findAll(question, connection).reversed().map(\.row)
  }

  private func step() throws(BlockFailure) {
    guard let statement else { return }
    next = try Self.step(statement, question)
  }

  /// - Returns: nil after the last one.
  private static func step(
    _ statement: OpaquePointer, _ question: PackedSampleQuestion
  ) throws(BlockFailure) -> Candidate? {
    while true {
      let code = sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw .sqlite(code) }
        return nil
      }
      let start = sqlite3_column_int64(statement, 1)
      let (first, last) = (sqlite3_column_int64(statement, 2), sqlite3_column_int64(statement, 3))
      guard question.concerns(start: start, firstChange: first, lastChange: last) else { continue }
      let bound: Int64
      if question.isByChange {
        bound = question.isDescending ? 0 &- last : first
      } else {
        // A block lies within an hour: what starts in it starts before its end.
        bound = question.isDescending ? -HourSummary.lastMoment(ofHourOf: start) : start
      }
      return Candidate(row: PackedRow(number: sqlite3_column_int64(statement, 0)), bound: bound)
    }
  }

  /// - Returns: the first one last.
  private static func findAll(
    _ question: PackedSampleQuestion, _ connection: OpaquePointer
  ) throws(BlockFailure) -> [Candidate] {
    let isByStart = question.starts != .min ... .max && question.changes == .min ... .max
    let statement = try statement(isByStart ? .start : .change, question, connection)
    defer { sqlite3_finalize(statement) }
    var found: [Candidate] = []
    while let candidate = try step(statement, question) { found.append(candidate) }
    return found.sorted { ($0.bound, $0.row) > ($1.bound, $1.row) }
  }

  private enum Index {
    case start, change

    var ofBlocks: String {
      switch self {
      case .start: "INDEXED BY block_start"
      case .change: "INDEXED BY block_change"
      }
    }

    /// The place in the change log is their row's.
    var ofBatches: String {
      switch self {
      case .start: "INDEXED BY batch_start"
      case .change: "NOT INDEXED"
      }
    }
  }

  /// - Returns: a query of the rows' numbers, starts, and first and last places in the change log; by start
  ///   they are in order.
  private static func statement(
    _ index: Index, _ question: PackedSampleQuestion, _ connection: OpaquePointer
  ) throws(BlockFailure) -> OpaquePointer {
    // A block lies within an hour: what starts at a time is in none that begins before its hour.
    let starts = question.starts
    let from = starts.lowerBound < 0 ? .min : HourSummary.start(of: starts.lowerBound)
    var conditions = ["start BETWEEN ?1 AND ?2", "last_change >= ?3", "first_change <= ?4"]
    if question.type != nil { conditions.append("type = ?5") }
    let order = index == .start ? "ORDER BY 2 \(question.isDescending ? "DESC" : "ASC")" : ""
    let sql = """
      SELECT id, start, first_change, last_change FROM main.block \(index.ofBlocks)
      WHERE \(conditions.joined(separator: " AND "))
      UNION ALL
      SELECT -id, start, first_change, id FROM main.batch \(index.ofBatches)
      WHERE start BETWEEN ?1 AND ?2 AND end >= ?6 AND id >= ?3 AND first_change <= ?4 \(order)
      """
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw .sqlite(sqlite3_extended_errcode(connection))
    }
    sqlite3_bind_int64(statement, 1, from)
    sqlite3_bind_int64(statement, 2, starts.upperBound)
    sqlite3_bind_int64(statement, 3, question.changes.lowerBound)
    sqlite3_bind_int64(statement, 4, question.changes.upperBound)
    if let type = question.type { sqlite3_bind_int64(statement, 5, type) }
    // What starts at a time or after it ends no earlier; a batch takes a moment of its hour.
    sqlite3_bind_int64(statement, 6, starts.lowerBound)
    return statement
  }
}
