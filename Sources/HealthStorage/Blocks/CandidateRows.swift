import GRDBSQLite

/// The rows of segments that may contain samples of a query. They are found by an index alone, because the
/// rows themselves are large.
final class CandidateRows {
  struct Candidate {
    /// `block.id`.
    let id: Int64
    /// No sample of this candidate, or of any candidate after it, comes before this in the order.
    let bound: Int64
  }

  enum Index {
    /// Returns the rows in order of start.
    case start
    /// Returns the rows in no order.
    case change
  }

  private let question: PackedSampleRequest
  private let index: Index
  private let statement: OpaquePointer
  /// The rows of an hour that are next, in reverse order.
  private var ahead: [Candidate] = []
  /// A row that was read and belongs to the next hour.
  private var beyond: (candidate: Candidate, start: Int64)?
  /// SQLite restarts a statement that is stepped after its end.
  private var isAtEnd = false

  /// - Throws: `BlockReadError`.
  init(
    _ index: Index, _ question: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) {
    var statement: OpaquePointer?
    let sql = Self.sql(index, question)
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw .sqlite(sqlite3_extended_errcode(connection))
    }
    self.statement = statement
    self.question = question
    self.index = index
    // A segment is within an hour: a sample is in no segment that begins before the sample's hour.
    let starts = question.starts
    let from = starts.lowerBound < 0 ? .min : HourSummary.start(of: starts.lowerBound)
    sqlite3_bind_int64(statement, 1, from)
    sqlite3_bind_int64(statement, 2, starts.upperBound)
    sqlite3_bind_int64(statement, 3, question.changes.lowerBound)
    sqlite3_bind_int64(statement, 4, question.changes.upperBound)
    // A sample that starts at a time or later ends no earlier. This excludes most of the small segments of
    // an hour.
    sqlite3_bind_int64(statement, 5, max(starts.lowerBound, question.endsFrom))
    if let type = question.type { sqlite3_bind_int64(statement, 6, type) }
  }

  deinit { sqlite3_finalize(statement) }

  private static func sql(_ index: Index, _ question: PackedSampleRequest) -> String {
    let type = question.type == nil ? "" : "AND type = ?6"
    switch index {
    case .start:
      return """
        SELECT id, start, first_change, last_change, end FROM main.block INDEXED BY block_start
        WHERE start BETWEEN ?1 AND ?2 AND end >= ?5 AND last_change >= ?3 AND first_change <= ?4 \(type)
        ORDER BY start \(question.isDescending ? "DESC" : "ASC")
        """
    case .change:
      // This index has no ends.
      return """
        SELECT id, start, first_change, last_change, NULL FROM main.block INDEXED BY block_change
        WHERE start BETWEEN ?1 AND ?2 AND last_change >= ?3 AND first_change <= ?4 \(type)
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
    // In order of start, the ends are in no order. The index entries of the whole hour are read and sorted,
    // so that a query for the newest sample decodes one of the hour's small segments and not all of them.
    guard index == .start, question.isDescending else { return first }
    ahead = [first]
    let hour = HourSummary.start(ofHourOf: start)
    while let (candidate, start) = try step() {
      guard HourSummary.start(ofHourOf: start) == hour else {
        beyond = (candidate, start)
        break
      }
      ahead.append(candidate)
    }
    ahead.sort { ($0.bound, $0.id) > ($1.bound, $1.id) }
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
      let end = index == .start ? sqlite3_column_int64(statement, 4) : nil
      guard question.concerns(start: start, end: end, firstChange: first, lastChange: last) else { continue }
      return (Candidate(id: id, bound: bound(start, end, first, last)), start)
    }
    return nil
  }

  private func bound(_ start: Int64, _ end: Int64?, _ firstChange: Int64, _ lastChange: Int64) -> Int64 {
    guard !question.isByChange else { return question.isDescending ? 0 &- lastChange : firstChange }
    guard question.isDescending else { return start }
    // No sample starts after the segment ends. A damaged end must not be before the start.
    return 0 &- (end.map { max($0, start) } ?? HourSummary.lastMoment(ofHourOf: start))
  }
}
