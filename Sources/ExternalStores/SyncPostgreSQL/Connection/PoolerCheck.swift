import HealthDataSync

/// Checks for a connection pooler, such as PgBouncer, that may use another server session after each
/// transaction.
///
/// Settings and temporary tables belong to a server session. With such a pooler, writes would fail or be lost
/// while other clients are connected.
struct PoolerCheck {
  let connection: Connection
  /// The parameters for a second connection. If the second connection gets the server session of the first, a
  /// pooler changes sessions.
  let parameters: [String: String]
  let address: PostgreSQLAddress

  /// Number of times to check whether the second connection has the server session of the first.
  private static let attempts = 50
  /// The timeouts are short: if a second connection gets no session, the pooler keeps one session per
  /// connection, which is fine.
  private static let limits = Limits(connecting: .seconds(3), answering: .seconds(3), grace: .zero)

  /// Runs the check.
  ///
  /// - Parameter process: The process ID of the server session that the connection uses.
  /// - Throws: `ExternalStoreError` if the session may change; `PostgreSQLError`.
  func perform(process: Int) throws {
    guard process != connection.backendProcess, try changesSession(process) else { return }
    throw ExternalStoreError(
      "\(address) is a pooler that changes the session after each transaction (PgBouncer in transaction mode): set "
        + "pool_mode = session there for this user or database, or connect to PostgreSQL directly",
      outlook: .lasting)
  }

  /// Returns whether a pooler gives the first connection's session to another one between transactions.
  ///
  /// A pooler that shares sessions assigns either the most recently used session or each one in turn. After
  /// some attempts, the second connection therefore gets the session of the first one.
  private func changesSession(_ process: Int) throws(PostgreSQLError) -> Bool {
    guard let second = try second() else { return false }
    for _ in 0..<Self.attempts {
      guard let other = try self.process(of: second) else { return false }
      if other == process { return true }
      if try Self.process(of: connection) != process { return true }
    }
    return false
  }

  /// Opens the second connection. Returns `nil` if that fails.
  private func second() throws(PostgreSQLError) -> Connection? {
    do {
      return try Connection(parameters, limits: Self.limits, cancellation: connection.cancellation)
    } catch {
      if error == .cancelled { throw error }
      return nil
    }
  }

  /// Returns the process ID of the second connection's server session, or `nil` if the query fails.
  private func process(of second: Connection) throws(PostgreSQLError) -> Int? {
    do {
      return try Self.process(of: second)
    } catch {
      if error == .cancelled { throw error }
      return nil
    }
  }

  private static func process(of connection: Connection) throws(PostgreSQLError) -> Int? {
    try connection.perform("SELECT pg_backend_pid()").number
  }
}
