import GRDBSQLite

/// The blocks that may hold what a question is about, one after another, by the indexes alone: rows of blocks
/// are large.
///
/// In order of start they are found as they are asked for, so that a page costs what it shows. In that of the
/// change log all are found at once: no index has the first places in order.
final class BlockSearch {
  struct Candidate {
    let id: Int64
    /// No sample of the block, or of any candidate after it, comes before this in the order.
    let bound: Int64
  }

  private let connection: OpaquePointer
  private let isDescending: Bool
  /// In order of start.
  private var statement: OpaquePointer?
  /// In order of the change log; the last one comes next.
  private var found: [Candidate] = []
  /// The one that comes next.
  private(set) var next: Candidate?

  /// - Throws: `BlockFailure`.
  init(_ question: PackedSampleQuestion, _ connection: OpaquePointer) throws(BlockFailure) {
    self.connection = connection
    isDescending = question.isDescending
    guard !question.isEmpty else { return }
    if question.isByChange {
      try findAll(question)
      next = found.popLast()
    } else {
      statement = try Self.statement(
        "SELECT id, start FROM main.block INDEXED BY block_start", question,
        order: "ORDER BY start \(isDescending ? "DESC" : "ASC")", connection)
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

  private func step() throws(BlockFailure) {
    guard let statement else { return }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else {
      guard code == SQLITE_DONE else { throw .sqlite(code) }
      next = nil
      return
    }
    let start = sqlite3_column_int64(statement, 1)
    // A block lies within an hour: what starts in it starts before its end. Of a damaged row any will do.
    let hour = HourSummary.start(of: min(max(start, 0), .max / 2))
    let bound = isDescending ? -(hour + HourSummary.length - 1) : start
    next = Candidate(id: sqlite3_column_int64(statement, 0), bound: bound)
  }

  private func findAll(_ question: PackedSampleQuestion) throws(BlockFailure) {
    let statement = try Self.statement(
      "SELECT id, first_change, last_change FROM main.block INDEXED BY block_change", question, order: "",
      connection)
    defer { sqlite3_finalize(statement) }
    while true {
      let code = sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw .sqlite(code) }
        break
      }
      found.append(
        Candidate(
          id: sqlite3_column_int64(statement, 0),
          bound: isDescending
            ? 0 &- sqlite3_column_int64(statement, 2) : sqlite3_column_int64(statement, 1)))
    }
    found.sort { ($0.bound, $0.id) > ($1.bound, $1.id) }
  }

  private static func statement(
    _ select: String, _ question: PackedSampleQuestion, order: String, _ connection: OpaquePointer
  ) throws(BlockFailure) -> OpaquePointer {
    // A block lies within an hour: what starts before that is over.
    let reach = HourSummary.length
    let starts = question.starts
    let from = starts.lowerBound < .min + reach ? .min : starts.lowerBound - reach
    var conditions = ["start BETWEEN ?1 AND ?2", "last_change >= ?3", "first_change <= ?4"]
    if question.type != nil { conditions.append("type = ?5") }
    let sql = "\(select) WHERE \(conditions.joined(separator: " AND ")) \(order)"
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw .sqlite(sqlite3_extended_errcode(connection))
    }
    sqlite3_bind_int64(statement, 1, from)
    sqlite3_bind_int64(statement, 2, starts.upperBound)
    sqlite3_bind_int64(statement, 3, question.changes.lowerBound)
    sqlite3_bind_int64(statement, 4, question.changes.upperBound)
    if let type = question.type { sqlite3_bind_int64(statement, 5, type) }
    return statement
  }
}
