package import Foundation
import GRDB

/// The dead-letter list: records that destinations have rejected.
extension SyncLedger {
  /// Returns rejected records, sorted by UUID.
  package func deadLetters(of destination: Int64, limit: Int) async throws -> [DeadLetterRecord] {
    try await database.read {
      try Row.fetchAll(
        $0, sql: "\(Self.refusalColumns) WHERE destination = ? ORDER BY uuid LIMIT ?",
        arguments: [destination, limit]
      ).map(Self.deadLetter)
    }
  }

  /// Returns the rejected records that are due to be sent again, in the order of ``refusedUUIDs(of:at:)``.
  package func dueDeadLetters(
    of destination: Int64, _ times: RetryTimes, limit: Int
  ) async throws -> [DeadLetterRecord] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          \(Self.refusalColumns) WHERE destination = ?4 AND \(RetryTimes.due) <= ?1
          ORDER BY \(Self.turn) LIMIT ?5
          """,
        arguments: [times.now, times.first, times.longest, destination, limit]
      ).map(Self.deadLetter)
    }
  }

  /// Returns the UUIDs of all rejected records, least recently attempted first, so that each is retried
  /// eventually even if only a few are retried at once.
  package func refusedUUIDs(of destination: Int64, at now: Int64) async throws -> [UUID] {
    try await database.read { database in
      try UUID.fetchAll(
        database, sql: "SELECT uuid FROM sync_refusal WHERE destination = ?2 ORDER BY \(Self.turn)",
        arguments: [now, destination])
    }
  }

  /// Returns those of the given records that are still in the dead-letter list, in the given order.
  package func deadLetters(
    of destination: Int64, among uuids: some Collection<UUID> & Sendable
  ) async throws -> [DeadLetterRecord] {
    try await database.read { database in
      let statement = try database.cachedStatement(
        sql: "\(Self.refusalColumns) WHERE destination = ? AND uuid = ?")
      return try uuids.compactMap {
        try Row.fetchOne(statement, arguments: [destination, $0]).map(Self.deadLetter)
      }
    }
  }

  /// SQL terms that sort by the time of the last attempt. The first argument is the current time. Attempts
  /// with a later time were made before the clock was set back, and are sorted first.
  private static let turn = "tried <= ?1, tried, uuid"

  private static let refusalColumns = """
    SELECT uuid, type, reason, since, attempts, tried FROM sync_refusal
    """

  private static func deadLetter(_ row: Row) throws -> DeadLetterRecord {
    try DeadLetterRecord(
      uuid: row.decode(atIndex: 0), type: row.decode(atIndex: 1), reason: row.decode(atIndex: 2),
      since: row.decode(atIndex: 3), attempts: row.decode(atIndex: 4), tried: row.decode(atIndex: 5))
  }

  package func refusalCount(of destination: Int64) async throws -> Int {
    try await database.read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM sync_refusal WHERE destination = ?", arguments: [destination]) ?? 0
    }
  }

  /// Returns the number of records for which the user has requested a retry that is still pending.
  package func urgedRefusalCount(of destination: Int64) async throws -> Int {
    try await database.read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM sync_refusal WHERE destination = ? AND tried = 0",
        arguments: [destination]) ?? 0
    }
  }

  /// Returns when the next rejected record is due to be sent again; `nil` if there are no rejected records.
  package func nextDeadLetterDue(of destination: Int64, _ times: RetryTimes) async throws -> Int64? {
    try await database.read {
      try Int64.fetchOne(
        $0, sql: "SELECT min(\(RetryTimes.due)) FROM sync_refusal WHERE destination = ?4",
        arguments: [times.now, times.first, times.longest, destination])
    }
  }

  /// Records that a record was sent again and rejected again.
  package func postpone(
    _ uuid: UUID, reason: String, of destination: Int64, at time: Int64
  ) async throws {
    try await database.writeWithoutSync {
      try $0.execute(
        sql: """
          UPDATE sync_refusal SET reason = ?, attempts = attempts + 1, tried = ?
          WHERE destination = ? AND uuid = ?
          """,
        arguments: [reason, time, destination, uuid])
    }
  }

  /// Records that these records were retried, even without a result, for example because a sample cannot be
  /// read.
  package func recordAttempt(of uuids: [UUID], of destination: Int64, at time: Int64) async throws {
    try await database.writeWithoutSync { database in
      let update = try database.cachedStatement(
        sql: "UPDATE sync_refusal SET tried = ? WHERE destination = ? AND uuid = ?")
      for uuid in uuids { try update.execute(arguments: [time, destination, uuid]) }
    }
  }
}

extension RetryTimes {
  /// An SQL expression for the time at which a record is due to be sent again. Its first arguments are the
  /// three values of this type. If the last attempt is in the future, it was made before the clock was set
  /// back, and the record is due at once.
  fileprivate static let due = """
    CASE WHEN tried = 0 OR tried > ?1 THEN 0
      ELSE tried + min(?2 << max(min(attempts - 1, 20), 0), ?3) END
    """
}
