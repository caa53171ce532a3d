import CPostgreSQL

/// The server's result of an SQL statement.
final class QueryResult {
  private let raw: OpaquePointer

  init(_ raw: OpaquePointer) {
    self.raw = raw
  }

  deinit { PQclear(raw) }

  var status: ExecStatusType { PQresultStatus(raw) }

  /// The number of rows in the result.
  var count: Int { Int(PQntuples(raw)) }

  /// The number of rows that the statement inserted, changed or deleted.
  var affected: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

  /// The value in a row and column as text, or `nil` for NULL.
  subscript(row: Int, column: Int) -> String? {
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(raw, row, column) == 0 else { return nil }
    return String(cString: PQgetvalue(raw, row, column))
  }

  /// The integer in the first column, if the result has exactly one row.
  var number: Int? { count == 1 ? self[0, 0].flatMap { Int($0) } : nil }

  var rows: [[String?]] {
    let columns = Int(PQnfields(raw))
    return (0..<count).map { row in (0..<columns).map { self[row, $0] } }
  }

  /// The error, or `nil` if the statement succeeded.
  var error: PostgreSQLError? {
    guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
    // Only libpq's own errors, such as a lost connection, have no SQLSTATE code.
    guard let state = field("C") else { return .lost }
    return .server(
      ServerError(state: state, table: field("t"), column: field("c"), constraint: field("n")))
  }

  /// Returns a field of the error, which the protocol names by a letter (PG_DIAG_…).
  private func field(_ letter: Unicode.Scalar) -> String? {
    PQresultErrorField(raw, Int32(letter.value)).map { String(cString: $0) }
  }
}
