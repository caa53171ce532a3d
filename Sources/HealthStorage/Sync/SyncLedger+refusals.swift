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

  /// Those to be tried again, the one first that was tried longest ago: where only a few can be tried, each
  /// has its turn.
  /// - Parameter last: after this one.
  package func refusals(
    of destination: Int64, _ choice: RefusalChoice, after last: SyncRefusalRecord?, limit: Int
  ) async throws -> [SyncRefusalRecord] {
    let (condition, times) = choice.condition
    return try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          \(Self.refusalColumns) WHERE destination = ?4 AND (tried, uuid) > (?5, ?6) AND \(condition)
          ORDER BY tried, uuid LIMIT ?7
          """,
        arguments: [
          times.now, times.first, times.longest, destination, last?.tried ?? .min,
          last?.uuid.databaseValue ?? Data().databaseValue, limit,
        ]
      ).map(Self.refusal)
    }
  }

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
}

extension RefusalTimes {
  /// When a record is due, of the three times as the first arguments. A clock that was ahead when it was
  /// tried would put it off for as long.
  fileprivate static let due = """
    CASE WHEN attempts = 0 OR tried > ?1 THEN 0 ELSE tried + min(?2 << min(attempts - 1, 20), ?3) END
    """
}

extension RefusalChoice {
  fileprivate var condition: (sql: String, times: RefusalTimes) {
    switch self {
    case .all: ("TRUE", RefusalTimes(now: 0, first: 0, longest: 0))
    case .due(let times): ("\(RefusalTimes.due) <= ?1", times)
    }
  }
}
