import GRDB

/// Positions in the change log. Rows and deletions take theirs from `sqlite_sequence`, as ids; the samples of
/// a segment have theirs in the segment alone, because writing the sequence would change another page with
/// each commit of a gateway.
enum ChangePositions {
  /// The last position of a segment, in SQL. A damaged row can contain any number.
  static let lastInSegments =
    "ifnull((SELECT max(last_change) FROM block INDEXED BY block_change WHERE last_change < \(1 << 53)), 0)"

  /// Takes the next position for something that is not a row of `sample`: afterwards it is `seq`.
  static let takeNext = """
    UPDATE sqlite_sequence SET seq = max(seq, \(lastInSegments)) + 1 WHERE name = 'sample'
    """

  /// Makes the next id of a row greater than the positions of all segments. Must be called in a transaction
  /// before the first row is inserted, and again after a segment is written.
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
