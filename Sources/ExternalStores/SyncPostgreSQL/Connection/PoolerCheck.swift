import HealthDataSync

/// Finds out whether a pooler between hrgate and the server, such as PgBouncer, gives a connection another
/// session of the server after each transaction. Settings and temporary tables are the session's, so that
/// pages would fail, or be lost, once other clients come.
struct PoolerCheck {
  let connection: Connection
  /// Of a second connection, which competes for the server's sessions.
  let parameters: [String: String]
  let address: PostgreSQLAddress

  /// The number of times the second connection tries to get the session of the first.
  private static let attempts = 50
  /// If a pooler has no session left for a second connection, each connection keeps its own.
  private static let limits = Limits(connecting: .seconds(3), answering: .seconds(3), grace: .zero)

  /// - Parameter process: the process of the server's session that serves the connection.
  /// - Throws: `ExternalStoreError` if the session changes; `DatabaseFailure`.
  func perform(process: Int) throws {
    guard process != connection.backendProcess, try changesSession(process) else { return }
    throw ExternalStoreError(
      "\(address) is a pooler that changes the session after each transaction (PgBouncer in transaction mode): set "
        + "pool_mode = session there for this user or database, or use the address of PostgreSQL itself",
      outlook: .lasting)
  }

  /// The session is held by nobody else as long as the first connection is open, unless the pooler lends it
  /// out. A pooler that does lends the one that was used last, or each in turn.
  private func changesSession(_ process: Int) throws(DatabaseFailure) -> Bool {
    guard let second = try second() else { return false }
    for _ in 0..<Self.attempts {
      guard let other = try self.process(of: second) else { return false }
      if other == process { return true }
      if try Self.process(of: connection) != process { return true }
    }
    return false
  }

  /// Returns nil if there is no second session to be had.
  private func second() throws(DatabaseFailure) -> Connection? {
    do {
      return try Connection(parameters, limits: Self.limits, cancellation: connection.cancellation)
    } catch {
      if error == .cancelled { throw error }
      return nil
    }
  }

  /// Likewise.
  private func process(of second: Connection) throws(DatabaseFailure) -> Int? {
    do {
      return try Self.process(of: second)
    } catch {
      if error == .cancelled { throw error }
      return nil
    }
  }

  private static func process(of connection: Connection) throws(DatabaseFailure) -> Int? {
    try connection.perform("SELECT pg_backend_pid()").number
  }
}
