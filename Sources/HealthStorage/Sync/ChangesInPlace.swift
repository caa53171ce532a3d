import GRDB

/// The samples that were changed in their place since they were stored, which the change log does not tell:
/// those who were sent them have to be sent them once more.
///
/// Valid only within the access that it was made in.
struct ChangesInPlace {
  private let database: Database

  init(in database: Database) { self.database = database }

  /// Has samples go over once more, to every destination.
  /// - Parameter samples: the least `sample.id` of them, and the greatest.
  func note(_ samples: ClosedRange<Int64>) throws {
    try forgetPassed()
    let bounds: StatementArguments = ["first": samples.lowerBound, "last": samples.upperBound]
    // The new one says all that they said.
    try database.execute(
      sql: "DELETE FROM changed_in_place WHERE first >= :first AND last <= :last", arguments: bounds)
    try database.execute(
      sql: "INSERT INTO changed_in_place (first, last) VALUES (:first, :last)", arguments: bounds)
    try SyncLedger.takeBack(to: samples.lowerBound - 1, in: database)
  }

  /// Forgets those that each destination has behind it, with every type that goes there: they went over once
  /// more, and no page that is under way holds them as they were.
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

  /// Of what is kept, the latest: after what is noted next it is greater.
  func revision() throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT max(id) FROM changed_in_place") ?? 0
  }

  /// Where changed samples are, as `sample.id`. Others may lie between them.
  func ranges() throws -> [ClosedRange<Int64>] {
    try Row.fetchAll(database, sql: "SELECT first, last FROM changed_in_place").map { row in
      let (first, last): (Int64, Int64) = try (row.decode(atIndex: 0), row.decode(atIndex: 1))
      guard first <= last else { throw StorageFailure.damagedRow }
      return first...last
    }
  }

  /// Whether anything behind one place of the change log, up to another, was changed after a revision.
  func isAny(after revision: Int64, behind start: Int64, upTo end: Int64) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: "SELECT EXISTS (SELECT 1 FROM changed_in_place WHERE id > ? AND last > ? AND first <= ?)",
      arguments: [revision, start, end]) ?? false
  }
}
