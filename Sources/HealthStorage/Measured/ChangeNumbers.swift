import GRDB

/// Gives out places in the change log to samples that are no rows. Valid only within the write access that it
/// was made in.
struct ChangeNumbers {
  private let database: Database
  /// What was given out and is not written down yet.
  private var last: Int64?

  init(in database: Database) { self.database = database }

  /// - Returns: the first of so many that follow each other.
  mutating func take(_ count: Int) throws -> Int64 {
    let before = try last ?? SampleDatabase.lastChange(database)
    last = before + Int64(count)
    return before + 1
  }

  /// To be called before a row is inserted, and at the end.
  mutating func writeDown() throws {
    guard let last else { return }
    self.last = nil
    try database.cachedStatement(sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = 'sample'")
      .execute(arguments: [last])
    guard database.changesCount == 0 else { return }
    try database.cachedStatement(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('sample', ?)")
      .execute(arguments: [last])
  }
}
