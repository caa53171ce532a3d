import HealthDataSync

/// A check for a connection pooler, such as PgBouncer, that changes the server session after each
/// transaction.
///
/// Settings and temporary tables belong to a session. With such a pooler, pages would fail or be lost as soon
/// as there are other clients.
struct PoolerCheck {
  let connection: Connection
  /// The parameters of a second connection, which competes for the server's sessions.
  let parameters: [String: String]
  let address: PostgreSQLAddress

  /// Number of times that the second connection tries to get the session of the first.
  private static let attempts = 50
  /// Short timeouts: if a pooler has no session for a second connection, each connection keeps its own.
  private static let limits = Limits(connecting: .seconds(3), answering: .seconds(3), grace: .zero)

  /// Runs the check.
  ///
  /// - Parameter process: The process of the server session behind the connection.
  /// - Throws: `ExternalStoreError` if the session changes; `PostgreSQLError`.
  func perform(process: Int) throws {
    guard process != connection.backendProcess, try changesSession(process) else { return }
    throw ExternalStoreError(
      "\(address) is a pooler that changes the session after each transaction (PgBouncer in transaction mode): set "
        + "pool_mode = session there for this user or database, or connect to PostgreSQL directly",
      outlook: .lasting)
  }

  /// Returns whether the session changes between transactions.
  ///
  /// No other client can hold the session while the first connection is open, unless the pooler shares it. A
  /// pooler that does so hands out either the most recently used session or each in turn.
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

  /// Returns the process behind the second connection, or `nil` if the query fails.
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
