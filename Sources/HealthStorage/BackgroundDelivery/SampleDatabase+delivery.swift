import GRDB

extension SampleDatabase {
  /// Registers a program to be started when samples of a type change from now on. If it is registered
  /// already, only the frequency is updated. Programs call this each time they start, so the call does not
  /// acknowledge any changes.
  package func enableDelivery(
    of type: String, frequency: Int, to application: ApplicationRecord, _ launch: LaunchRecord
  ) async throws {
    try await write { database in
      let id = try Self.application(
        application.bundleIdentifier, name: application.name, renaming: true, in: database)
      try database.execute(
        sql: """
          INSERT INTO background_launch (application, unit, executable) VALUES (?, ?, ?)
          ON CONFLICT (application) DO UPDATE SET unit = excluded.unit, executable = excluded.executable
          """,
        arguments: [id, launch.unit, launch.executable])
      try database.execute(
        sql: """
          INSERT INTO background_delivery (application, type, frequency, position) VALUES (?, ?, ?, ?)
          ON CONFLICT (application, type) DO UPDATE SET frequency = excluded.frequency
          """,
        arguments: [id, type, frequency, try Self.lastChange(database)])
    }
  }

  /// - Parameter type: The type; `nil` for all types.
  package func disableDelivery(of type: String?, to application: String) async throws {
    try await write { database in
      try database.execute(
        sql: """
          DELETE FROM background_delivery WHERE (type = ? OR ?)
            AND application = (SELECT id FROM application WHERE identifier = ?)
          """,
        arguments: [type, type == nil, application])
    }
  }

  /// Records that an application has handled all changes up to a position in the change log. Writes nothing
  /// if it is not registered for changes.
  ///
  /// This method is synchronous, because the application may exit right after the call.
  package func acknowledgeDelivery(of types: Set<String>, to application: String, upTo position: Int64) throws
  {
    let registered = try readNow { try Self.deliveries($0) }.filter {
      $0.application.bundleIdentifier == application && types.contains($0.type)
    }
    guard registered.contains(where: { $0.position < position || $0.misses > 0 }) else { return }
    try writeNow { database in
      for delivery in registered {
        try database.execute(
          sql: """
            UPDATE background_delivery SET position = max(position, ?), misses = 0
            WHERE type = ? AND application = (SELECT id FROM application WHERE identifier = ?)
            """,
          arguments: [position, delivery.type, application])
      }
    }
  }

  /// Records that an application is about to be started for these types. Increments
  /// ``DeliveryRecord/misses``, which the application's confirmation resets.
  /// - Returns: The records that no other process has changed since they were read. A changed record was
  ///   updated by another process, which starts the program.
  package func recordDelivery(_ deliveries: [DeliveryRecord], at time: Int64) async throws -> [DeliveryRecord]
  {
    try await write { database in
      try deliveries.filter { delivery in
        try database.execute(
          sql: """
            UPDATE background_delivery SET delivered = ?, misses = misses + 1
            WHERE type = ? AND delivered IS ? AND misses = ?
              AND application = (SELECT id FROM application WHERE identifier = ?)
            """,
          arguments: [
            time, delivery.type, delivery.delivered, delivery.misses, delivery.application.bundleIdentifier,
          ])
        return database.changesCount > 0
      }
    }
  }

  /// Returns all registrations, sorted by application and type.
  package func deliveries() async throws -> [DeliveryRecord] {
    try await read { try Self.deliveries($0) }
  }

  private static func deliveries(_ database: Database) throws -> [DeliveryRecord] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT identifier, name, unit, executable, type, frequency, position, delivered, misses
        FROM background_delivery JOIN application ON application.id = background_delivery.application
        JOIN background_launch USING (application) ORDER BY identifier, type
        """
    ).map { row in
      try DeliveryRecord(
        application: ApplicationRecord(
          bundleIdentifier: row.decode(atIndex: 0), name: row.decode(atIndex: 1)),
        launch: LaunchRecord(unit: row.decode(atIndex: 2), executable: row.decode(atIndex: 3)),
        type: row.decode(atIndex: 4), frequency: row.decode(atIndex: 5),
        position: row.decode(atIndex: 6), delivered: row.decode(atIndex: 7), misses: row.decode(atIndex: 8))
    }
  }
}
