import GRDB

/// Samples that were modified after they were stored, for example to mark a wrong clock. The change log does
/// not contain such changes, so sync uses this table to send the samples again to destinations that already
/// have them.
///
/// Use it only inside the database access in which it was created.
struct ChangesInPlace {
  private let database: Database

  init(in database: Database) { self.database = database }

  /// Records that samples were modified, so that they are sent again to every destination.
  /// - Parameter samples: The range of their `sample.id`.
  func note(_ samples: ClosedRange<Int64>) throws {
    try forgetPassed()
    let bounds: StatementArguments = ["first": samples.lowerBound, "last": samples.upperBound]
    // Remove earlier ranges that the new one contains.
    try database.execute(
      sql: "DELETE FROM changed_in_place WHERE first >= :first AND last <= :last", arguments: bounds)
    try database.execute(
      sql: "INSERT INTO changed_in_place (first, last) VALUES (:first, :last)", arguments: bounds)
    try SyncLedger.rewind(to: samples.lowerBound - 1, in: database)
  }

  /// Deletes ranges whose samples were sent again to all destinations. By then, no page of changes that is
  /// being sent can contain their old state.
  private func forgetPassed() throws {
    try database.execute(
      sql: """
        DELETE FROM changed_in_place WHERE last <= (
          SELECT ifnull(
            min(CASE WHEN instr(cursor.mark, store.token) = 1 THEN cursor.position ELSE 0 END), ?)
          FROM sync_destination AS destination
          CROSS JOIN object_type AS type
          CROSS JOIN store_identity AS store
          LEFT JOIN sync_cursor AS cursor
            ON cursor.destination = destination.id AND cursor.type = type.identifier
          WHERE (destination.types IS NULL
              OR type.identifier IN (SELECT value FROM json_each(destination.types)))
            AND (destination.excluded_types IS NULL
              OR type.identifier NOT IN (SELECT value FROM json_each(destination.excluded_types)))
            AND NOT EXISTS (SELECT 1 FROM sync_rejection AS rejection
              WHERE rejection.destination = destination.id AND rejection.type = type.identifier
                AND rejection.count IS NULL))
        """,
      arguments: [Int64.max])
  }

  /// Returns a number that increases with each call of `note(_:)`.
  func revision() throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT max(id) FROM changed_in_place") ?? 0
  }

  /// Returns the ranges of `sample.id` that contain modified samples. Not all samples in a range are
  /// modified.
  func ranges() throws -> [ClosedRange<Int64>] {
    try Row.fetchAll(database, sql: "SELECT first, last FROM changed_in_place").map { row in
      let (first, last): (Int64, Int64) = try (row.decode(atIndex: 0), row.decode(atIndex: 1))
      guard first <= last else { throw StorageError.damagedRow }
      return first...last
    }
  }

  /// Returns whether a sample in a range of change log positions was modified after a revision.
  func isAny(after revision: Int64, behind start: Int64, upTo end: Int64) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: "SELECT EXISTS (SELECT 1 FROM changed_in_place WHERE id > ? AND last > ? AND first <= ?)",
      arguments: [revision, start, end]) ?? false
  }
}
