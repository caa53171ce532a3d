import Foundation
import GRDB

/// The result of saving sync progress.
package enum SyncSaving: Hashable, Sendable {
  case saved
  /// Nothing was saved, because the destination was reset or the records were modified in the meantime.
  case superseded
  /// The destination was deleted in the meantime.
  case gone
}

extension SyncLedger {
  /// Returns the progress of the sync to a destination.
  /// - Returns: `nil` if the destination does not exist.
  package func state(of destination: Int64) async throws -> SyncDestinationState? {
    try await database.read { database in
      guard
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT resets, resets_told, reset_at, marker, marker_sequence FROM sync_destination WHERE id = ?
            """,
          arguments: [destination])
      else { return nil }
      let cursors = try Row.fetchAll(
        database,
        sql: """
          SELECT type, position, mark, sent, deleted FROM sync_cursor WHERE destination = ? ORDER BY type
          """,
        arguments: [destination]
      ).map { row in
        try SyncCursorRecord(
          type: row.decode(atIndex: 0),
          cursor: ChangeLogCursor(position: row.decode(atIndex: 1), mark: row.decode(atIndex: 2)),
          sent: row.decode(atIndex: 3), deleted: row.decode(atIndex: 4))
      }
      return try SyncDestinationState(
        cursors: cursors, resets: row.decode(atIndex: 0), reportedResets: row.decode(atIndex: 1),
        resetAt: row.decode(atIndex: 2),
        marker: SyncMarkerRecord(id: row.decode(atIndex: 3), sequence: row.decode(atIndex: 4)))
    }
  }

  /// Records that this marker is stored at the destination.
  package func saveMarker(_ marker: SyncMarkerRecord, of destination: Int64) async throws {
    try await database.writeWithoutSync { try Self.note(marker, destination, in: $0) }
  }

  /// Records the number of resets that the destination was notified about.
  package func recordReported(resets: Int64, of destination: Int64) async throws {
    try await database.writeWithoutSync {
      try $0.execute(
        sql: "UPDATE sync_destination SET resets_told = ? WHERE id = ?", arguments: [resets, destination])
    }
  }

  /// Saves the progress of a destination and the results of sending records, in one transaction.
  ///
  /// Does not wait for the disk, so that it does not slow down programs that save samples. After a power
  /// failure, the stored progress may be older, so that some records are sent again.
  /// - Parameters:
  ///   - step: The new position of the type; `nil` if rejected records were sent again.
  ///   - marker: The marker that the destination has stored with the records; `nil` if it stored no marker.
  ///   - resets: The number of resets of the destination when the records were sent.
  package func save(
    _ records: SentRecords, _ step: CursorStep?, marker: SyncMarkerRecord? = nil, to destination: Int64,
    resets: Int64
  ) async throws -> SyncSaving {
    try await database.writeWithoutSync { database in
      guard
        let now = try Int64.fetchOne(
          database, sql: "SELECT resets FROM sync_destination WHERE id = ?", arguments: [destination])
      else { return .gone }
      guard now == resets else { return .superseded }
      if let step {
        let cursor = try Self.cursor(of: records.type, destination, in: database)
        guard cursor == step.from else { return .superseded }
        let isChanged = try ChangesInPlace(in: database).isAny(
          after: step.revision, behind: step.restarts ? 0 : cursor?.position ?? 0, upTo: step.to.position)
        guard !isChanged else { return .superseded }
        try Self.move(records, step, destination, in: database)
      } else {
        try database.execute(
          sql: """
            UPDATE sync_cursor SET sent = sent + ?, deleted = deleted + ? WHERE destination = ? AND type = ?
            """,
          arguments: [records.sent, records.deleted, destination, records.type])
      }
      try Self.settle(records, destination, in: database)
      try Self.count(records, destination, in: database)
      if let marker { try Self.note(marker, destination, in: database) }
      try Self.forgetFailure(destination, in: database)
      try database.execute(
        sql: "UPDATE sync_destination SET last_success = ? WHERE id = ?",
        arguments: [records.time, destination])
      return .saved
    }
  }

  /// Saves the new positions of types for which there was nothing to send, so that the next search starts
  /// there.
  package func advance(_ steps: [(type: String, step: CursorStep)], of destination: Int64) async throws {
    try await database.writeWithoutSync { database in
      guard try Self.exists(destination, in: database) else { return }
      for (type, step) in steps where try Self.cursor(of: type, destination, in: database) == step.from {
        let nothing = SentRecords(type: type, sent: 0, deleted: 0, settled: [], refused: [], time: 0)
        try Self.move(nothing, step, destination, in: database)
      }
    }
  }

  /// Records that the destination was reached and is up to date.
  package func recordSuccess(of destination: Int64, at time: Int64) async throws {
    try await database.writeWithoutSync { database in
      try Self.forgetFailure(destination, in: database)
      try database.execute(
        sql: "UPDATE sync_destination SET last_success = ? WHERE id = ?", arguments: [time, destination])
    }
  }

  /// Records why a gateway cannot publish live measurements at a destination; `nil` if it can, or has
  /// stopped.
  package func recordLiveFailure(
    _ failure: (text: String, lasts: Bool)?, of destination: Int64, at time: Int64
  ) async throws {
    try await database.writeWithoutSync {
      try $0.execute(
        sql: """
          UPDATE sync_destination
          SET live_failure = ?1, live_failure_lasts = ?2,
            live_failing_since = CASE WHEN ?1 IS NULL THEN NULL ELSE ifnull(live_failing_since, ?3) END
          WHERE id = ?4
          """,
        arguments: [failure?.text, failure?.lasts, time, destination])
    }
  }

  /// Records a failed attempt. The column `failing_since` keeps the time of the first failure in a row.
  package func recordFailure(_ text: String, lasts: Bool, of destination: Int64, at time: Int64) async throws
  {
    try await database.writeWithoutSync {
      try $0.execute(
        sql: """
          UPDATE sync_destination
          SET failure = ?, failure_lasts = ?, failing_since = ifnull(failing_since, ?) WHERE id = ?
          """,
        arguments: [text, lasts, time, destination])
    }
  }

  // MARK: - In a transaction

  static func exists(_ destination: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM sync_destination WHERE id = ?)", arguments: [destination])
      ?? false
  }

  private static func cursor(
    of type: String, _ destination: Int64, in database: Database
  ) throws -> ChangeLogCursor? {
    try Row.fetchOne(
      database, sql: "SELECT position, mark FROM sync_cursor WHERE destination = ? AND type = ?",
      arguments: [destination, type]
    ).map { try ChangeLogCursor(position: $0.decode(atIndex: 0), mark: $0.decode(atIndex: 1)) }
  }

  private static func move(
    _ records: SentRecords, _ step: CursorStep, _ destination: Int64, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO sync_cursor (destination, type, position, mark, sent, deleted) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET position = excluded.position, mark = excluded.mark,
          sent = sent * ?7 + excluded.sent, deleted = deleted * ?7 + excluded.deleted
        """,
      arguments: [
        destination, records.type, step.to.position, step.to.mark, records.sent, records.deleted,
        step.restarts ? 0 : 1,
      ])
    guard step.restarts else { return }
    for table in ["sync_refusal", "sync_rejection"] {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE destination = ? AND type = ?",
        arguments: [destination, records.type])
    }
  }

  /// Records a marker, unless it is from before a reset.
  private static func note(_ marker: SyncMarkerRecord, _ destination: Int64, in database: Database) throws {
    try database.execute(
      sql: "UPDATE sync_destination SET marker_sequence = ? WHERE id = ? AND marker = ?",
      arguments: [marker.sequence, destination, marker.id])
  }

  private static func settle(
    _ records: SentRecords, _ destination: Int64, in database: Database
  ) throws {
    let isAnySetAside =
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM sync_refusal WHERE destination = ?)",
        arguments: [destination]) ?? false
    if isAnySetAside {
      let delete = try database.cachedStatement(
        sql: "DELETE FROM sync_refusal WHERE destination = ? AND uuid = ?")
      for uuid in records.settled { try delete.execute(arguments: [destination, uuid]) }
    }
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO sync_refusal (destination, uuid, type, reason, since, attempts, tried)
        VALUES (?1, ?2, ?3, ?4, ?5, 1, ?5)
        ON CONFLICT DO UPDATE SET reason = excluded.reason, attempts = attempts + 1, tried = excluded.tried
        """)
    for (uuid, reason) in records.refused {
      try insert.execute(arguments: [destination, uuid, records.type, reason, records.time])
    }
  }

  /// Makes sure that everything stored after a change log position is sent again to every destination,
  /// because it was modified.
  static func rewind(to position: Int64, in database: Database) throws {
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
