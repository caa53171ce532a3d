import GRDB

/// SQLite's own checks of a file.
enum SQLiteCheck {
  /// Returns the problems that `quick_check` or `integrity_check` reports, one per element; empty if there
  /// are none.
  /// - Parameter most: the maximum number of problems passed to SQLite; the result may be slightly longer.
  static func flaws(_ check: String, most: Int = 100, in database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "PRAGMA \(check)(\(most))").flatMap(sentences)
  }

  /// Splits a result row. A row may hold several lines, below a heading that names the database.
  static func sentences(_ row: String) -> [String] {
    row.split(separator: "\n").map(String.init).filter { $0 != "ok" && !$0.hasPrefix("*** in database ") }
  }
}
