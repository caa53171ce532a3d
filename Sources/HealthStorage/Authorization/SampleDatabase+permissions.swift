import GRDB

/// A decision of the user's as it is kept.
package struct PermissionRecord: Hashable, Sendable {
  package var application: ApplicationRecord
  /// The identifier of an object type.
  package var type: String
  package var permission: Permission
}

extension SampleDatabase {
  /// What the user has decided for an application, and for it alone; what was never asked is absent.
  ///
  /// Blocks for the time of a look-up, because the question that it answers is a synchronous one.
  package func permission(for type: String, of application: String) throws -> Permission {
    do {
      return try writer.read { try PermissionLookup(application, in: $0).permission(for: type) }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// As the asynchronous read, of several types.
  package func permissions(for types: [String], of application: String) async throws -> [String: Permission] {
    do {
      return try await writer.read { database in
        let lookup = try PermissionLookup(application, in: database)
        return try Dictionary(types.map { ($0, try lookup.permission(for: $0)) }) { first, _ in first }
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Every decision, in the order of bundle and type identifiers.
  package func permissions() async throws -> [PermissionRecord] {
    do {
      return try await writer.read { database in
        try Row.fetchAll(
          database,
          sql: """
            SELECT application.identifier, name, type, share, read
            FROM permission JOIN application ON application.id = permission.application
            WHERE share IS NOT NULL OR read IS NOT NULL ORDER BY 1, 3
            """
        ).map { row in
          try PermissionRecord(
            application: ApplicationRecord(
              bundleIdentifier: row.decode(atIndex: 0), name: row.decode(atIndex: 1)),
            type: row.decode(atIndex: 2),
            permission: Permission(share: row.decode(atIndex: 3), read: row.decode(atIndex: 4)))
        }
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Keeps what the user decided: by type what to share and what to read; nil leaves it as it is. Requests of which nothing is
  /// left to decide are answered by it.
  /// - Parameter name: of the application, where it is not known yet.
  package func decide(
    _ decisions: [String: Permission], for application: String, named name: String
  ) async throws {
    do {
      try await writer.write { database in
        let id = try Self.application(application, name: name, renaming: false, in: database)
        let statement = try database.cachedStatement(
          sql: """
            INSERT INTO permission (application, type, share, read) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET share = ifnull(excluded.share, share), read = ifnull(excluded.read, read)
            """)
        for (type, permission) in decisions {
          try statement.execute(arguments: [id, type, permission.share, permission.read])
        }
        try Self.settleRequests(of: id, in: database)
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Makes types of an application undecided again: as if it had never asked.
  /// - Parameter types: nil for all; then the chosen objects are forgotten too.
  /// - Returns: how many decisions there were.
  package func forgetDecisions(on types: [String]?, for application: String) async throws -> Int {
    do {
      return try await writer.write { database in
        let find = "SELECT id FROM application WHERE identifier = ?"
        guard let id = try Int64.fetchOne(database, sql: find, arguments: [application]) else { return 0 }
        guard let types else {
          try database.execute(sql: "DELETE FROM readable_object WHERE application = ?", arguments: [id])
          try database.execute(sql: "DELETE FROM permission WHERE application = ?", arguments: [id])
          return database.changesCount
        }
        let statement = try database.cachedStatement(
          sql: "DELETE FROM permission WHERE application = ? AND type = ?")
        return try types.reduce(into: 0) { count, type in
          try statement.execute(arguments: [id, type])
          count += database.changesCount
        }
      }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// The id of an application's row, which is made if there is none.
  static func application(
    _ identifier: String, name: String, renaming: Bool, in database: Database
  ) throws -> Int64 {
    let conflict = renaming ? "(identifier) DO UPDATE SET name = excluded.name" : "DO NOTHING"
    try database.cachedStatement(
      sql: "INSERT INTO application (identifier, name) VALUES (?, ?) ON CONFLICT \(conflict)"
    ).execute(arguments: [identifier, name])
    let find = try database.cachedStatement(sql: "SELECT id FROM application WHERE identifier = ?")
    guard let id = try Int64.fetchOne(find, arguments: [identifier]) else {
      throw StorageFailure.sqlite(code: "SQLITE_CORRUPT", message: "row missing: application")
    }
    return id
  }
}
