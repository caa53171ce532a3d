import GRDB

/// Gives out places in the change log to samples that are no rows. Valid only within the write access that it
/// was made in.
struct ChangeNumbers {
  private let database: Database

  init(in database: Database) { self.database = database }

  /// - Returns: the first of so many that follow each other.
  func take(_ count: Int) throws -> Int64 {
    let last = try SampleDatabase.lastChange(database)
    let next = last + Int64(count)
    try database.cachedStatement(sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = 'sample'")
      .execute(arguments: [next])
    if database.changesCount == 0 {
      try database.cachedStatement(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('sample', ?)")
        .execute(arguments: [next])
    }
    return last + 1
  }
}
