import GRDB

/// A stored decision of the user on one type for one application.
package struct PermissionRecord: Hashable, Sendable {
  package var application: ApplicationRecord
  /// The identifier of an object type.
  package var type: String
  package var permission: Permission
  /// The number of individual objects of this type that the application may read.
  package var objects: Int
}

extension SampleDatabase {
  /// Returns the user's decision on a type for an application; `nil` values are undecided.
  ///
  /// This method is synchronous, because HealthKit's `authorizationStatus(for:)` is.
  package func permission(for type: String, of application: String) throws -> Permission {
    try readNow { try PermissionLookup(application, in: $0).permission(for: type) }
  }

  /// Returns the user's decisions on several types.
  package func permissions(for types: [String], of application: String) async throws -> [String: Permission] {
    try await read { database in
      let lookup = try PermissionLookup(application, in: database)
      return try Dictionary(types.map { ($0, try lookup.permission(for: $0)) }) { first, _ in first }
    }
  }

  /// Returns all decisions, sorted by bundle identifier and type. Decisions on single objects are only
  /// counted.
  package func permissions() async throws -> [PermissionRecord] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          WITH chosen AS (
            SELECT application, identifier AS type, count(*) AS objects FROM readable_object
            JOIN sample ON sample.id = readable_object.sample JOIN object_type ON object_type.id = sample.type
            GROUP BY 1, 2
          ), decided AS (
            SELECT application, type FROM permission WHERE share IS NOT NULL OR read IS NOT NULL
            UNION SELECT application, type FROM chosen
          )
          SELECT application.identifier, name, decided.type, share, read, ifnull(objects, 0) FROM decided
          JOIN application ON application.id = decided.application
          LEFT JOIN permission USING (application, type) LEFT JOIN chosen USING (application, type)
          ORDER BY 1, 3
          """
      ).map { row in
        try PermissionRecord(
          application: ApplicationRecord(
            bundleIdentifier: row.decode(atIndex: 0), name: row.decode(atIndex: 1)),
          type: row.decode(atIndex: 2),
          permission: Permission(share: row.decode(atIndex: 3), read: row.decode(atIndex: 4)),
          objects: row.decode(atIndex: 5))
      }
    }
  }

  /// Stores decisions of the user on types. A `nil` value leaves the stored decision unchanged. Requests that
  /// are now completely decided are marked as answered.
  /// - Parameters:
  ///   - name: The name of the application. It is stored only if the application is new.
  ///   - objectTypes: Types whose individual objects the application may no longer read.
  ///   - time: The current time in microseconds since 1970.
  package func decide(
    _ decisions: [String: Permission], for application: String, named name: String,
    withdrawingObjectsOf objectTypes: [String] = [], at time: Int64
  ) async throws {
    try await write { database in
      let id = try Self.application(application, name: name, renaming: false, in: database)
      try Self.keep(decisions, for: id, in: database)
      for type in objectTypes { _ = try Self.forgetObjects(of: type, for: id, in: database) }
      try Self.settleRequests(of: id, at: time, in: database)
    }
  }

  /// Stores decisions on types for an application.
  static func keep(
    _ decisions: [String: Permission], for application: Int64, in database: Database
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO permission (application, type, share, read) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET share = ifnull(excluded.share, share), read = ifnull(excluded.read, read)
        """)
    for (type, permission) in decisions where permission != Permission() {
      try statement.execute(arguments: [application, type, permission.share, permission.read])
    }
  }

  /// Deletes the permissions to read individual objects of a type.
  ///
  /// - Returns: The number of these objects.
  private static func forgetObjects(
    of type: String, for application: Int64, in database: Database
  ) throws -> Int {
    try database.cachedStatement(
      sql: """
        DELETE FROM readable_object WHERE application = ? AND sample IN (
        SELECT sample.id FROM sample JOIN object_type ON object_type.id = sample.type WHERE identifier = ?)
        """
    ).execute(arguments: [application, type])
    return database.changesCount
  }

  /// Deletes decisions for an application, as if it had never requested permission.
  /// - Parameter types: The types; `nil` for all.
  /// - Returns: The number of deleted decisions. Each readable individual object counts as one.
  package func forgetDecisions(on types: [String]?, for application: String) async throws -> Int {
    try await write { database in
      let find = "SELECT id FROM application WHERE identifier = ?"
      guard let id = try Int64.fetchOne(database, sql: find, arguments: [application]) else { return 0 }
      guard let types else {
        try database.execute(sql: "DELETE FROM readable_object WHERE application = ?", arguments: [id])
        let objects = database.changesCount
        try database.execute(sql: "DELETE FROM permission WHERE application = ?", arguments: [id])
        return objects + database.changesCount
      }
      let statement = try database.cachedStatement(
        sql: "DELETE FROM permission WHERE application = ? AND type = ?")
      return try types.reduce(into: 0) { count, type in
        try statement.execute(arguments: [id, type])
        count += database.changesCount
        count += try Self.forgetObjects(of: type, for: id, in: database)
      }
    }
  }

  /// Returns the ID of an application's row, inserting the row if it is missing.
  static func application(
    _ identifier: String, name: String, renaming: Bool, in database: Database
  ) throws -> Int64 {
    let conflict = renaming ? "(identifier) DO UPDATE SET name = excluded.name" : "DO NOTHING"
    try database.cachedStatement(
      sql: "INSERT INTO application (identifier, name) VALUES (?, ?) ON CONFLICT \(conflict)"
    ).execute(arguments: [identifier, name])
    let find = try database.cachedStatement(sql: "SELECT id FROM application WHERE identifier = ?")
    guard let id = try Int64.fetchOne(find, arguments: [identifier]) else {
      throw StorageError.sqlite(code: "SQLITE_CORRUPT", message: "row missing: application")
    }
    return id
  }
}
