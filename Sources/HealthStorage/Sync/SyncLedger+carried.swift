package import Foundation
import GRDB

/// What became of an attempt to save what was carried.
package enum SyncSaving: Hashable, Sendable {
  case saved
  /// The cursor is elsewhere: the destination was reset meanwhile. Nothing was saved.
  case superseded
  /// The destination was removed meanwhile.
  case gone
}

extension SyncLedger {
  /// How far a destination has come.
  /// - Returns: nil if there is no such destination any more.
  package func cursors(of destination: Int64) async throws -> [SyncCursorRecord]? {
    try await database.read { database in
      guard try Self.exists(destination, in: database) else { return nil }
      return try Row.fetchAll(
        database,
        sql: """
          SELECT type, position, mark, sent, deleted FROM sync_cursor WHERE destination = ? ORDER BY type
          """,
        arguments: [destination]
      ).map { row in
        try SyncCursorRecord(
          type: row.decode(atIndex: 0),
          place: ChangeLogPlace(position: row.decode(atIndex: 1), mark: row.decode(atIndex: 2)),
          sent: row.decode(atIndex: 3), deleted: row.decode(atIndex: 4))
      }
    }
  }

  /// Saves how far a destination has come, together with what became of the records on the way: all of it or
  /// nothing.
  ///
  /// It is not waited for the disk: after a power failure the cursor may be where it was before, and the
  /// records go over once more. So saving costs whoever stores samples nothing.
  /// - Parameter step: nil for records that were set aside and tried again.
  package func save(
    _ carried: CarriedRecords, _ step: CursorStep?, to destination: Int64
  ) async throws -> SyncSaving {
    try await database.writeWithoutSync { database in
      guard try Self.exists(destination, in: database) else { return .gone }
      if let step {
        let place = try Self.place(of: carried.type, destination, in: database)
        guard place == step.from else { return .superseded }
        try Self.move(carried, step, destination, in: database)
      } else {
        try database.execute(
          sql: """
            UPDATE sync_cursor SET sent = sent + ?, deleted = deleted + ? WHERE destination = ? AND type = ?
            """,
          arguments: [carried.sent, carried.deleted, destination, carried.type])
      }
      try Self.settle(carried, destination, in: database)
      try Self.forgetFailure(destination, in: database)
      try database.execute(
        sql: "UPDATE sync_destination SET last_success = ? WHERE id = ?",
        arguments: [carried.time, destination])
      return .saved
    }
  }

  /// Moves the cursors of types of which there was nothing to carry, so that the next search begins there.
  package func advance(_ steps: [(type: String, step: CursorStep)], of destination: Int64) async throws {
    try await database.writeWithoutSync { database in
      guard try Self.exists(destination, in: database) else { return }
      for (type, step) in steps where try Self.place(of: type, destination, in: database) == step.from {
        let nothing = CarriedRecords(type: type, sent: 0, deleted: 0, settled: [], refused: [], time: 0)
        try Self.move(nothing, step, destination, in: database)
      }
    }
  }

  /// The destination was reached, and has everything.
  package func noteSuccess(of destination: Int64, at time: Int64) async throws {
    try await database.writeWithoutSync { database in
      try Self.forgetFailure(destination, in: database)
      try database.execute(
        sql: "UPDATE sync_destination SET last_success = ? WHERE id = ?", arguments: [time, destination])
    }
  }

  /// An attempt failed. It has been failing since the first of the attempts that failed one after another.
  package func noteFailure(_ text: String, lasts: Bool, of destination: Int64, at time: Int64) async throws {
    try await database.writeWithoutSync {
      try $0.execute(
        sql: """
          UPDATE sync_destination
          SET failure = ?, failure_lasts = ?, failing_since = ifnull(failing_since, ?) WHERE id = ?
          """,
        arguments: [text, lasts, time, destination])
    }
  }

  // MARK: - What is set aside

  /// The records that are set aside, in the order of UUIDs.
  /// - Parameters:
  ///   - uuid: after this one.
  ///   - isDue: only those that are to be tried again at once.
  package func refusals(
    of destination: Int64, after uuid: UUID? = nil, isDue: Bool = false, limit: Int
  ) async throws -> [SyncRefusalRecord] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT uuid, type, reason, since, attempts FROM sync_refusal
          WHERE destination = ? AND uuid > ? \(isDue ? "AND attempts = 0" : "") ORDER BY uuid LIMIT ?
          """,
        arguments: [destination, uuid?.databaseValue ?? Data().databaseValue, limit]
      ).map { row in
        try SyncRefusalRecord(
          uuid: row.decode(atIndex: 0), type: row.decode(atIndex: 1), reason: row.decode(atIndex: 2),
          since: row.decode(atIndex: 3), attempts: row.decode(atIndex: 4))
      }
    }
  }

  package func refusalCount(of destination: Int64) async throws -> Int {
    try await database.read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM sync_refusal WHERE destination = ?", arguments: [destination]) ?? 0
    }
  }

  // MARK: - In a transaction

  private static func exists(_ destination: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM sync_destination WHERE id = ?)", arguments: [destination])
      ?? false
  }

  private static func place(
    of type: String, _ destination: Int64, in database: Database
  ) throws -> ChangeLogPlace? {
    try Row.fetchOne(
      database, sql: "SELECT position, mark FROM sync_cursor WHERE destination = ? AND type = ?",
      arguments: [destination, type]
    ).map { try ChangeLogPlace(position: $0.decode(atIndex: 0), mark: $0.decode(atIndex: 1)) }
  }

  private static func move(
    _ carried: CarriedRecords, _ step: CursorStep, _ destination: Int64, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO sync_cursor (destination, type, position, mark, sent, deleted) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET position = excluded.position, mark = excluded.mark,
          sent = sent * ?7 + excluded.sent, deleted = deleted * ?7 + excluded.deleted
        """,
      arguments: [
        destination, carried.type, step.to.position, step.to.mark, carried.sent, carried.deleted,
        step.startsAnew ? 0 : 1,
      ])
    guard step.startsAnew else { return }
    try database.execute(
      sql: "DELETE FROM sync_refusal WHERE destination = ? AND type = ?",
      arguments: [destination, carried.type])
  }

  private static func settle(
    _ carried: CarriedRecords, _ destination: Int64, in database: Database
  ) throws {
    let isAnySetAside =
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM sync_refusal WHERE destination = ?)",
        arguments: [destination]) ?? false
    if isAnySetAside {
      let delete = try database.cachedStatement(
        sql: "DELETE FROM sync_refusal WHERE destination = ? AND uuid = ?")
      for uuid in carried.settled { try delete.execute(arguments: [destination, uuid]) }
    }
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO sync_refusal (destination, uuid, type, reason, since, attempts) VALUES (?, ?, ?, ?, ?, 1)
        ON CONFLICT DO UPDATE SET reason = excluded.reason, attempts = attempts + 1
        """)
    for (uuid, reason) in carried.refused {
      try insert.execute(arguments: [destination, uuid, carried.type, reason, carried.time])
    }
  }

  /// Has what was stored after a place in the change log go over once more, to every destination: it has
  /// changed in its place.
  static func takeBack(to position: Int64, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE sync_cursor SET position = ?1, mark = (SELECT token FROM store_identity) WHERE position > ?1
        """,
      arguments: [position])
  }

  static func forgetFailure(_ destination: Int64, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE sync_destination SET failure = NULL, failing_since = NULL, failure_lasts = NULL
        WHERE id = ? AND failure IS NOT NULL
        """,
      arguments: [destination])
  }
}
