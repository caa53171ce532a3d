import GRDB

extension SampleDatabase {
  /// Returns the monitors of the store, in the order in which they were added.
  package func monitors() async throws -> [MonitorRecord] {
    try await read { database in
      try upToDate(
        Row.fetchAll(database, sql: "SELECT * FROM monitor ORDER BY enrolled, address, kind")
          .map { try MonitorRecord($0) }, in: database)
    }
  }

  package func monitor(_ address: AddressRecord) async throws -> MonitorRecord? {
    try await read { database in
      try Row.fetchOne(
        database, sql: "SELECT * FROM monitor WHERE address = ? AND kind = ?",
        arguments: [address.text, address.kind]
      ).flatMap { try upToDate([MonitorRecord($0)], in: database).first }
    }
  }

  /// Returns how many times each of the store's monitors was paired.
  package func monitorRevisions() async throws -> [AddressRecord: Int] {
    try await read { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT address, kind, revision FROM monitor"))
      return try Dictionary(
        rows.map {
          (
            AddressRecord(text: try $0.decode(atIndex: 0), kind: try $0.decode(atIndex: 1)),
            try $0.decode(atIndex: 2)
          )
        }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Adds a monitor to the store, or updates it. When updating, the time at which it was added does not
  /// change, and `nil` values keep the stored value.
  package func enrol(_ monitor: MonitorRecord) async throws {
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO monitor (address, kind, bonded, enrolled) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET bonded = excluded.bonded, revision = revision + 1
          """,
        arguments: [monitor.address.text, monitor.address.kind, monitor.isBonded, monitor.enrolled])
      try Self.update(MonitorStatusRecord(monitor), in: database)
    }
  }

  /// Updates the status of monitors in one transaction. Times are updated only to later ones.
  /// - Returns: The monitors that are in the store. The status of others is ignored.
  package func update(_ statuses: [MonitorStatusRecord]) async throws -> Set<AddressRecord> {
    guard !statuses.isEmpty else { return [] }
    return try await write { database in
      Set(try statuses.filter { try Self.update($0, in: database) }.map(\.address))
    }
  }

  /// Stores how a monitor deviates from the specification, as declared by the user.
  /// - Returns: Whether the monitor is in the store.
  package func declare(
    intervalUnit: Int?, ignoresContact: Bool, of address: AddressRecord
  ) async throws -> Bool {
    try await write { database in
      try database.execute(
        sql: "UPDATE monitor SET interval_unit = ?, ignores_contact = ? WHERE address = ? AND kind = ?",
        arguments: [intervalUnit, ignoresContact, address.text, address.kind])
      return database.changesCount > 0
    }
  }

  /// Removes a monitor from the store. Its samples and gaps stay.
  /// - Returns: Whether the monitor was in the store.
  package func forgetMonitor(_ address: AddressRecord) async throws -> Bool {
    try await write { database in
      try database.execute(
        sql: "DELETE FROM monitor WHERE address = ? AND kind = ?", arguments: [address.text, address.kind])
      return database.changesCount > 0
    }
  }

  @discardableResult
  static func update(_ status: MonitorStatusRecord, in database: Database) throws -> Bool {
    if status.hasTimesOnly { return try updateTimes(status, in: database) }
    let statement = try database.cachedStatement(sql: updateAll)
    let (description, columns) = (status.description, DeviceInformationRecord.columns)
    let arguments: StatementArguments = [
      status.address.text, status.address.kind, description.name, description.sensorLocation,
      status.isBonded, status.lastSeen, status.lastMeasurement, status.battery, status.adapter?.text,
      status.adapter?.kind, status.state,
    ]
    try statement.execute(
      arguments: arguments + StatementArguments(columns.map { description.information[keyPath: $0.path] }))
    return database.changesCount > 0
  }

  private static let updateAll = """
    UPDATE monitor SET
      name = ifnull(?3, name), sensor_location = ifnull(?4, sensor_location), bonded = ifnull(?5, bonded),
      last_seen = ifnull(max(?6, ifnull(last_seen, ?6)), last_seen),
      last_measurement = ifnull(max(?7, ifnull(last_measurement, ?7)), last_measurement),
      battery = ifnull(?8, battery), adapter_kind = CASE WHEN ?9 IS NULL THEN adapter_kind ELSE ?10 END,
      adapter = ifnull(?9, adapter), state = ifnull(?11, state),
      \(DeviceInformationRecord.columns.enumerated().map { "\($1.name) = ifnull(?\($0 + 12), \($1.name))" }
        .joined(separator: ", "))
    WHERE address = ?1 AND kind = ?2
    """

  /// Updates only the times. Each commit of a gateway does this for every monitor.
  private static func updateTimes(_ status: MonitorStatusRecord, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        UPDATE monitor SET
          last_seen = ifnull(max(?3, ifnull(last_seen, ?3)), last_seen),
          last_measurement = ifnull(max(?4, ifnull(last_measurement, ?4)), last_measurement)
        WHERE address = ?1 AND kind = ?2
        """)
    try statement.execute(
      arguments: [status.address.text, status.address.kind, status.lastSeen, status.lastMeasurement])
    return database.changesCount > 0
  }
}

extension MonitorStatusRecord {
  /// Whether only times have to be updated.
  var hasTimesOnly: Bool {
    var timeless = self
    timeless.lastSeen = nil
    timeless.lastMeasurement = nil
    return timeless == MonitorStatusRecord(address: address)
  }

  fileprivate init(_ monitor: MonitorRecord) {
    self.init(address: monitor.address)
    description = monitor.description
    lastSeen = monitor.lastSeen
    lastMeasurement = monitor.lastMeasurement
    battery = monitor.battery
    adapter = monitor.adapter
    state = monitor.state
  }
}

extension MonitorRecord {
  /// - Throws: An error if the row has values that hrgate never writes.
  fileprivate init(_ row: Row) throws {
    self.init(
      address: AddressRecord(
        text: try row.decode(forColumn: "address"), kind: try row.decode(forColumn: "kind")),
      isBonded: try row.decode(forColumn: "bonded"), enrolled: try row.decode(forColumn: "enrolled"))
    revision = try row.decode(forColumn: "revision")
    description.name = try row.decode(forColumn: "name")
    for (column, path) in DeviceInformationRecord.columns {
      description.information[keyPath: path] = try row.decode(forColumn: column)
    }
    description.sensorLocation = try row.decode(forColumn: "sensor_location")
    lastSeen = try row.decode(forColumn: "last_seen")
    lastMeasurement = try row.decode(forColumn: "last_measurement")
    battery = try row.decode(forColumn: "battery")
    state = try row.decode(forColumn: "state")
    intervalUnit = try row.decode(forColumn: "interval_unit")
    ignoresContact = try row.decode(forColumn: "ignores_contact")
    if let text: String = try row.decode(forColumn: "adapter") {
      adapter = AddressRecord(text: text, kind: try row.decode(forColumn: "adapter_kind"))
    }
  }
}

extension SampleDatabase {
  /// Takes the gateway lock, which only one gateway per store can hold. It is released by
  /// ``resignAsGateway()``, or when the database is closed or the program ends.
  /// - Throws: `StorageError`: `gatewayRuns` if another gateway holds the lock, in this program or another;
  ///   `file` if the lock file cannot be accessed.
  package func becomeGateway() throws { try gateway.take { .gatewayRuns(process: $0) } }

  /// Releases the gateway lock. Call this only if `becomeGateway()` succeeded.
  package func resignAsGateway() { gateway.release() }

  /// Whether a gateway is running on this store.
  package var hasGateway: Bool { gateway.isTaken }
}
