import GRDBSQLite

/// The compressed segments that may contain samples of a query. Only an index is read, because the rows of
/// segments are large.
final class CandidateRows {
  struct Candidate {
    /// The ID of the compressed segment's row in the table `block`.
    let id: Int64
    /// No sample in this or any later compressed segment comes before this start time or change log position
    /// in the order of the query. Negated for descending order, so that lower numbers always come first.
    let bound: Int64
  }

  enum Index {
    /// Finds segments by start time, in the order of their start.
    case start
    /// Finds segments by change log position, in no particular order.
    case change
  }

  private let request: PackedSampleRequest
  private let index: Index
  private let statement: OpaquePointer
  /// The next compressed segments, all of the same hour, in reverse order: the last element is the next one.
  private var ahead: [Candidate] = []
  /// The first compressed segment of the following hour, which was already read.
  private var beyond: (candidate: Candidate, start: Int64)?
  /// Whether the statement has returned all rows. SQLite would restart it if it were stepped again.
  private var isAtEnd = false

  init(
    _ index: Index, _ request: PackedSampleRequest, _ connection: OpaquePointer
  ) throws(BlockReadError) {
    var statement: OpaquePointer?
    let sql = Self.sql(index, request)
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw .sqlite(sqlite3_extended_errcode(connection))
    }
    self.statement = statement
    self.request = request
    self.index = index
    // A compressed segment contains samples of one hour, so a sample is in no segment that starts before the
    // hour of the sample.
    let starts = request.starts
    let from = starts.lowerBound < 0 ? .min : HourSummary.start(of: starts.lowerBound)
    sqlite3_bind_int64(statement, 1, from)
    sqlite3_bind_int64(statement, 2, starts.upperBound)
    sqlite3_bind_int64(statement, 3, request.changes.lowerBound)
    sqlite3_bind_int64(statement, 4, request.changes.upperBound)
    // A sample that starts at a time or later also ends at that time or later. This condition excludes the
    // many small compressed segments of the query's first hour that end before the query's start.
    sqlite3_bind_int64(statement, 5, max(starts.lowerBound, request.endsFrom))
    if let type = request.type { sqlite3_bind_int64(statement, 6, type) }
  }

  deinit { sqlite3_finalize(statement) }

  private static func sql(_ index: Index, _ request: PackedSampleRequest) -> String {
    let type = request.type == nil ? "" : "AND type = ?6"
    switch index {
    case .start:
      return """
        SELECT id, start, first_change, last_change, end FROM main.block INDEXED BY block_start
        WHERE start BETWEEN ?1 AND ?2 AND end >= ?5 AND last_change >= ?3 AND first_change <= ?4 \(type)
        ORDER BY start \(request.isDescending ? "DESC" : "ASC")
        """
    case .change:
      // The index `block_change` does not contain the end of compressed segments, so select NULL instead.
      return """
        SELECT id, start, first_change, last_change, NULL FROM main.block INDEXED BY block_change
        WHERE start BETWEEN ?1 AND ?2 AND last_change >= ?3 AND first_change <= ?4 \(type)
        """
    }
  }

  /// - Returns: The next compressed segment; `nil` after the last one.
  /// - Throws: `BlockReadError`.
  func next() throws(BlockReadError) -> Candidate? {
    if let next = ahead.popLast() { return next }
    if beyond == nil { beyond = try step() }
    guard let (first, start) = beyond else { return nil }
    beyond = nil
    // For descending order, the compressed segments of an hour must be sorted by their end, so read the index
    // entries of the whole hour first. A query for the newest sample then decodes only one of the hour's
    // small segments.
    guard index == .start, request.isDescending else { return first }
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
      guard request.concerns(start: start, end: end, firstChange: first, lastChange: last) else { continue }
      return (Candidate(id: id, bound: bound(start, end, first, last)), start)
    }
    return nil
  }

  private func bound(_ start: Int64, _ end: Int64?, _ firstChange: Int64, _ lastChange: Int64) -> Int64 {
    guard !request.isByChange else { return request.isDescending ? 0 &- lastChange : firstChange }
    guard request.isDescending else { return start }
    // For descending order, the bound is the negated end of the compressed segment, because no sample starts
    // later. The end may be damaged, so use at least the start.
    return 0 &- (end.map { max($0, start) } ?? HourSummary.lastMoment(ofHourOf: start))
  }
}
