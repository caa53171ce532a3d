import GRDB

// Samples whose times are from a recording or another store, not from this machine's clock.

extension SampleDatabase {
  /// Excludes the samples stored after position `change` from corrections when the wall clock is set. Does
  /// nothing if no setting of the clock is stored, because no correction can then reach these samples.
  static func excludeFromClockCorrections(after change: Int64, in database: Database) throws {
    let last = try lastChange(database)
    guard last > change,
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM clock_setting)") == true
    else { return }
    // A recording is stored in many transactions, mostly without other changes in between, so extend the last
    // range if possible.
    try database.execute(
      sql: """
        UPDATE recorded_sample SET last = ?2
        WHERE first = (SELECT max(first) FROM recorded_sample) AND last = ?1
        """, arguments: [change, last])
    guard database.changesCount == 0 else { return }
    try database.execute(
      sql: "INSERT INTO recorded_sample (first, last) VALUES (?, ?)", arguments: [change + 1, last])
  }

  static func forgetRecorded(in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM recorded_sample
        WHERE last <= ifnull((SELECT min(after_sample) FROM clock_setting), last)
        """)
  }
}
