import GRDB

// Which samples a recording or another store timed, and not the clock of this machine.

extension SampleDatabase {
  /// What was stored after a change has times of its own. Samples that are older than every setting of the
  /// clock that is kept are never asked for.
  static func noteRecorded(after change: Int64, in database: Database) throws {
    let last = try lastChange(database)
    guard last > change,
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM clock_setting)") == true
    else { return }
    // A recording is stored in many batches, and mostly nothing comes between them.
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
