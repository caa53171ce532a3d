import HealthDataSync
import HealthKit

/// A connection whose schema has been checked. It cannot be used after a connection error.
final class Session {
  private let connection: Connection
  private let address: PostgreSQLAddress
  private let schema: Schema
  private let identity: ExternalIdentity
  private let origins: OriginBook
  private var partitions: Partitions
  private let sender: Sender
  private let lock: Int
  /// The encoding of the database, such as `LATIN1`.
  private let encoding: String
  /// The number of the last page of changes in the database when the session was opened, or `nil` without a
  /// marker.
  let sequence: Int64?
  /// Whether no sample sent in this session existed in the database already. Only then is a direct COPY
  /// likely to succeed.
  private var isFirstRun = true

  /// Minimum number of rows for a direct COPY. It fails if one of the rows exists, and for fewer rows that
  /// costs more than COPY saves.
  private static let fewestDirect = 500
  /// Maximum number of attempts for a transaction that conflicts with another one.
  private static let attempts = 3

  /// Connects and opens the schema.
  ///
  /// - Parameter marker: The marker to check, or `nil`.
  /// - Throws: `ExternalStoreError`, `PostgreSQLError`.
  init(
    _ address: PostgreSQLAddress, secret: String?, identity: ExternalIdentity, schema: Schema,
    marker: DestinationMarker? = nil, limits: Limits, cancellation: Cancellation
  ) throws {
    let parameters = Self.parameters(address, secret)
    connection = try Connection(parameters, limits: limits, cancellation: cancellation)
    self.address = address
    self.schema = schema
    partitions = Partitions(at: address)
    self.identity = identity
    guard connection.serverVersion >= 120_000 else {
      throw ExternalStoreError(
        "PostgreSQL at \(address) is older than version 12: update it", outlook: .lasting)
    }
    let server = try connection.perform("SELECT pg_backend_pid(), current_setting('server_encoding')")
    encoding = server.count == 1 ? server[0, 1] ?? "" : ""
    if let process = server.count == 1 ? server[0, 0].flatMap({ Int($0) }) : nil {
      try PoolerCheck(connection: connection, parameters: parameters, address: address).perform(
        process: process)
    }
    try connection.perform(Self.settings(limits))
    try SchemaOpening(
      connection: connection, schema: schema, address: address, isExpected: marker?.isExpected ?? false
    ).perform()
    let row = marker.map { MarkerRow(marker: $0, address: address) }
    sequence = try row?.sequence(through: connection)
    try connection.perform(PageTransaction.stage)
    sender = Sender(
      person: try Self.number(ofPerson: identity.person, through: connection),
      gateway: try GatewayRow(identity: identity).number(through: connection))
    lock =
      try connection.perform(
        "SELECT hashtextextended('hrgate.person:' || $1, 0)", [identity.person]
      ).number ?? 0
    origins = OriginBook(connection, person: identity.person, encoding: encoding)
  }

  /// Whether another page can be sent in this session.
  var isUsable: Bool { !connection.isBroken }

  func upload(_ page: ChangePage, _ cancellation: Cancellation) throws -> [RejectedChange] {
    connection.cancellation = cancellation
    var rejections: [RejectedChange] = []
    var rows: [PreparedRecord] = []
    rows.reserveCapacity(page.added.count)
    for record in page.added {
      do {
        rows.append(try PreparedRecord(record, in: origins))
      } catch let flaw as RecordError {
        rejections.append(RejectedChange(uuid: record.sample.uuid, reason: flaw.reason))
      }
    }
    let months = Set(rows.compactMap { Month(of: $0.start) })
    try partitions.provide(months, through: connection)
    do {
      return rejections + (try upload(page, rows))
    } catch PostgreSQLError.server(let error) where error.isMissingPartition && !connection.isBroken {
      // A user dropped a partition, which is how a month's data is deleted. Create it again if there are
      // samples from that month to insert.
      _ = try connection.perform("ROLLBACK")
      partitions.forget()
      try partitions.provide(months, through: connection)
      return rejections + (try upload(page, rows))
    }
  }

  private func upload(_ page: ChangePage, _ rows: [PreparedRecord]) throws -> [RejectedChange] {
    let transaction = PageTransaction(
      connection: connection, identity: identity, sender: sender, lock: lock, encoding: encoding,
      marker: page.marker.map { MarkerRow(marker: $0, address: address) }, page: page, rows: rows)
    var way: PageTransaction.Way = isFirstRun && rows.count >= Self.fewestDirect ? .direct : .staged
    var collisions = 0
    while true {
      do {
        return try transaction.perform(way)
      } catch is PageTransaction.MissingRowsError {
        // A trigger on the table dropped rows of the direct COPY. Use the staging table to find out which.
        _ = try connection.perform("ROLLBACK")
        isFirstRun = false
        way = .staged
      } catch PostgreSQLError.server(let error) {
        if !connection.isBroken {
          _ = try connection.perform("ROLLBACK")
          if error.mayBeRowSecurity {
            try SchemaOpening(connection: connection, schema: schema, address: address).checkRowSecurity()
          }
        }
        switch way {
        case .direct where error.isAboutRows:
          if error.isDuplicate { isFirstRun = false }
          way = .staged
        case .staged where error.isAboutRows:
          way = .halving
        default:
          collisions += 1
          guard error.isCollision, collisions < Self.attempts else {
            throw PostgreSQLError.server(error)
          }
        }
      }
    }
  }

  // MARK: - Opening

  private static func parameters(_ address: PostgreSQLAddress, _ secret: String?) -> [String: String] {
    let ours = [
      "fallback_application_name": "hrgate", "client_encoding": "UTF8", "keepalives_idle": "30",
      "keepalives_interval": "10", "keepalives_count": "3", "tcp_user_timeout": "60000",
    ]
    var parameters = ours.merging(address.parameters) { $1 }
    if let secret { parameters["password"] = secret }
    return parameters
  }

  /// Returns the statements that override settings of the role or database.
  ///
  /// Timeouts release the locks of a gateway that stops in the middle of a transaction. With
  /// `synchronous_commit`, a committed transaction survives a power failure of the server. Hash and merge
  /// joins are turned off, because every join looks up the rows to write by key and must not scan whole
  /// partitions.
  private static func settings(_ limits: Limits) -> String {
    """
    SET statement_timeout = \(limits.answering.milliseconds);
    SET lock_timeout = \(limits.locking.milliseconds);
    SET idle_in_transaction_session_timeout = \(limits.answering.milliseconds);
    SET client_min_messages = error;
    SET synchronous_commit = on;
    SET search_path = pg_catalog;
    SET default_transaction_isolation = 'read committed';
    SET default_tablespace = '';
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET jit = off
    """
  }

  private static func number(ofPerson name: String, through connection: Connection) throws -> Int32 {
    let find = "SELECT id FROM hrgate.person WHERE name = $1"
    if let number = try connection.perform(find, [name]).number { return Int32(number) }
    _ = try connection.perform(
      "INSERT INTO hrgate.person (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", [name])
    return Int32(try connection.perform(find, [name]).number ?? 0)
  }
}
