import GRDB

/// Records that a destination never accepts, because of one of its rules.
extension SyncLedger {
  /// Returns the types that a destination does not accept at all, with the reasons.
  package func rejectedTypes(of destination: Int64) async throws -> [String: String] {
    try await rejections(of: destination).reduce(into: [:]) { types, rejection in
      if rejection.count == nil { types[rejection.type] = rejection.reason }
    }
  }

  /// Returns all of a destination's rules by which records were rejected, sorted by type and reason.
  package func rejections(of destination: Int64) async throws -> [SyncRejectionRecord] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT type, reason, count FROM sync_rejection WHERE destination = ? ORDER BY type, reason",
        arguments: [destination]
      ).map {
        try SyncRejectionRecord(
          type: $0.decode(atIndex: 0), reason: $0.decode(atIndex: 1), count: $0.decode(atIndex: 2))
      }
    }
  }

  /// Stores which types a destination does not accept at all.
  ///
  /// Records of these types are removed from the dead-letter list, where an earlier version of hrgate put
  /// them. If nothing of a type was sent, its progress is deleted, so that everything is sent if the
  /// destination accepts the type later.
  package func setRejectedTypes(_ types: [String: String], of destination: Int64) async throws {
    try await database.writeWithoutSync { database in
      guard try Self.exists(destination, in: database) else { return }
      try database.execute(
        sql: "DELETE FROM sync_rejection WHERE destination = ? AND count IS NULL", arguments: [destination])
      for (type, reason) in types {
        try database.execute(
          sql: "DELETE FROM sync_rejection WHERE destination = ? AND type = ?",
          arguments: [destination, type])
        try database.execute(
          sql: "INSERT INTO sync_rejection (destination, type, reason) VALUES (?, ?, ?)",
          arguments: [destination, type, reason])
        try database.execute(
          sql: "DELETE FROM sync_refusal WHERE destination = ? AND type = ?", arguments: [destination, type])
        try database.execute(
          sql: "DELETE FROM sync_cursor WHERE destination = ? AND type = ? AND sent = 0",
          arguments: [destination, type])
      }
    }
  }

  static func count(_ records: SentRecords, _ destination: Int64, in database: Database) throws {
    for (reason, count) in records.rejected {
      try database.execute(
        sql: """
          INSERT INTO sync_rejection (destination, type, reason, count) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET count = ifnull(count, 0) + excluded.count
          """,
        arguments: [destination, records.type, reason, count])
    }
  }
}
