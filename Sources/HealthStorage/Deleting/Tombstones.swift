import GRDB

/// Deletes samples and records the deletions in the change log, for anchored queries. Samples in compressed
/// segments must be turned into rows first (`BlockUnpacking`).
///
/// Use it only inside the write access in which it was created.
struct Tombstones {
  let database: Database

  /// Deletes a sample. The record of the deletion (the tombstone) gets the next position in the change log.
  /// - Parameters:
  ///   - source: The row ID of the source that saved the sample.
  ///   - summaries: Collects the summaries that the deletion invalidates. Call its `flush` before the
  ///     transaction ends.
  func bury(_ sample: Int64, savedBy source: Int64, _ summaries: inout SummaryInvalidation) throws {
    try database.cachedStatement(sql: ChangePositions.takeNext).execute()
    try database.cachedStatement(
      sql: """
        INSERT INTO deleted_object (id, uuid, type, source, sync_identifier, sync_version, start)
        SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'sample'),
          sample.uuid, sample.type, ?, identifier, version, sample.start
        FROM sample LEFT JOIN synced_object ON synced_object.sample = sample.id WHERE sample.id = ?
        """
    ).execute(arguments: [source, sample])
    try forgetSummaries(around: sample, &summaries)
    try database.cachedStatement(sql: "DELETE FROM sample WHERE id = ?").execute(arguments: [sample])
  }

  private func forgetSummaries(around sample: Int64, _ summaries: inout SummaryInvalidation) throws {
    let find = try database.cachedStatement(
      sql: "SELECT type, start, ifnull(end, start) FROM sample WHERE id = ?")
    guard let row = try Row.fetchOne(find, arguments: [sample]) else { return }
    try summaries.touch(row[0], start: row[1], end: row[2], in: database)
  }
}
