import GRDB

/// SQLite's own checks of a file.
enum SQLiteCheck {
  /// What `quick_check` or `integrity_check` finds, sentence by sentence; nothing where all is sound.
  /// - Parameter most: about so many sentences are enough.
  static func flaws(_ check: String, most: Int = 100, in database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "PRAGMA \(check)(\(most))").flatMap(sentences)
  }

  /// A row of the answer may hold many, each on a line, below a heading that names the database.
  static func sentences(_ row: String) -> [String] {
    row.split(separator: "\n").map(String.init).filter { $0 != "ok" && !$0.hasPrefix("*** in database ") }
  }
}
