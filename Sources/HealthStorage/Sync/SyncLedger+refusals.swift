package import Foundation
import GRDB

/// What destinations do not take.
extension SyncLedger {
  /// The records that are set aside, in the order of UUIDs.
  package func refusals(of destination: Int64, limit: Int) async throws -> [SyncRefusalRecord] {
    try await database.read {
      try Row.fetchAll(
        $0, sql: "\(Self.refusalColumns) WHERE destination = ? ORDER BY uuid LIMIT ?",
        arguments: [destination, limit]
      ).map(Self.refusal)
    }
  }

  /// Those of which a pause is over, in the order of ``refusedUUIDs(of:at:)``.
  package func dueRefusals(
    of destination: Int64, _ times: RefusalTimes, limit: Int
  ) async throws -> [SyncRefusalRecord] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          \(Self.refusalColumns) WHERE destination = ?4 AND \(RefusalTimes.due) <= ?1
          ORDER BY \(Self.turn) LIMIT ?5
          """,
        arguments: [times.now, times.first, times.longest, destination, limit]
      ).map(Self.refusal)
    }
  }

  /// All that are set aside now, the one first that was tried longest ago: where only a few can be tried,
  /// each has its turn.
  package func refusedUUIDs(of destination: Int64, at now: Int64) async throws -> [UUID] {
    try await database.read { database in
      try UUID.fetchAll(
        database, sql: "SELECT uuid FROM sync_refusal WHERE destination = ?2 ORDER BY \(Self.turn)",
        arguments: [now, destination])
    }
  }

  /// Those of some that are still set aside, in their order.
  package func refusals(
    of destination: Int64, among uuids: some Collection<UUID> & Sendable
  ) async throws -> [SyncRefusalRecord] {
    try await database.read { database in
      let statement = try database.cachedStatement(
        sql: "\(Self.refusalColumns) WHERE destination = ? AND uuid = ?")
      return try uuids.compactMap {
        try Row.fetchOne(statement, arguments: [destination, $0]).map(Self.refusal)
      }
    }
  }

  /// Whose turn it is, with the present time as the first argument. What was tried at a time that is yet to
  /// come was tried before the clock was set back, and so longest ago.
  private static let turn = "tried <= ?1, tried, uuid"

  private static let refusalColumns = """
    SELECT uuid, type, reason, since, attempts, tried FROM sync_refusal
    """

  private static func refusal(_ row: Row) throws -> SyncRefusalRecord {
    try SyncRefusalRecord(
      uuid: row.decode(atIndex: 0), type: row.decode(atIndex: 1), reason: row.decode(atIndex: 2),
      since: row.decode(atIndex: 3), attempts: row.decode(atIndex: 4), tried: row.decode(atIndex: 5))
  }

  package func refusalCount(of destination: Int64) async throws -> Int {
    try await database.read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM sync_refusal WHERE destination = ?", arguments: [destination]) ?? 0
    }
  }

  /// How many of them the user wants tried, and nobody has looked at since.
  package func urgedRefusalCount(of destination: Int64) async throws -> Int {
    try await database.read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM sync_refusal WHERE destination = ? AND tried = 0",
        arguments: [destination]) ?? 0
    }
  }

  /// When the next of them is due; nil if there are none.
  package func nextRefusalDue(of destination: Int64, _ times: RefusalTimes) async throws -> Int64? {
    try await database.read {
      try Int64.fetchOne(
        $0, sql: "SELECT min(\(RefusalTimes.due)) FROM sync_refusal WHERE destination = ?4",
        arguments: [times.now, times.first, times.longest, destination])
    }
  }

  /// It was tried once more, and the destination failed at it.
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

  /// They had their turn. Of some nothing could be said, as of a sample that may not be read now.
  package func noteTurn(of uuids: [UUID], of destination: Int64, at time: Int64) async throws {
    try await database.writeWithoutSync { database in
      let update = try database.cachedStatement(
        sql: "UPDATE sync_refusal SET tried = ? WHERE destination = ? AND uuid = ?")
      for uuid in uuids { try update.execute(arguments: [time, destination, uuid]) }
    }
  }
}

extension RefusalTimes {
  /// When a record is due, of the three times as the first arguments. A clock that was ahead when it was
  /// tried would put it off for as long.
  fileprivate static let due = """
    CASE WHEN tried = 0 OR tried > ?1 THEN 0
      ELSE tried + min(?2 << max(min(attempts - 1, 20), 0), ?3) END
    """
}
