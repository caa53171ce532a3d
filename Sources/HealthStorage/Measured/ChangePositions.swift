import GRDB

/// Manages change log positions. Rows of `sample` and deletions get them from `sqlite_sequence`, as IDs. For
/// samples in compressed segments, the positions are stored only in the segment: updating `sqlite_sequence`
/// too would change another page of the file in each commit of a gateway.
enum ChangePositions {
  /// An SQL expression for the last position of all compressed segments. Numbers that are too large are
  /// ignored, because a damaged row may contain any number.
  static let lastInSegments =
    "ifnull((SELECT max(last_change) FROM block INDEXED BY block_change WHERE last_change < \(1 << 53)), 0)"

  /// Takes the next position for something that is not a row of `sample`, such as a deletion, and stores it
  /// in `seq`.
  static let takeNext = """
    UPDATE sqlite_sequence SET seq = max(seq, \(lastInSegments)) + 1 WHERE name = 'sample'
    """

  /// Makes sure that the next row gets an ID greater than the positions of all compressed segments. Call it
  /// in a transaction before the first row is inserted, and again after a segment was written.
  static func reserve(in database: Database) throws {
    try database.cachedStatement(
      sql:
        "UPDATE sqlite_sequence SET seq = \(lastInSegments) WHERE name = 'sample' AND seq < \(lastInSegments)"
    ).execute()
    try database.cachedStatement(
      sql: """
        INSERT INTO sqlite_sequence (name, seq) SELECT 'sample', \(lastInSegments)
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'sample')
        """
    ).execute()
  }
}

extension SampleDatabase {
  /// Returns the last position in the change log.
  static func lastChange(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT max(
            ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'sample'), 0),
            \(ChangePositions.lastInSegments))
          """)) ?? 0
  }
}
