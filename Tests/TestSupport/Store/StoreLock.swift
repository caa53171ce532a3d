import CSQLite
import Synchronization

/// A second connection that holds the write lock of a store file, like a long transaction of another program.
final class StoreLock: Sendable {
  struct RefusedError: Error {
    var code: Int32
  }

  // The pointer is stored as an integer, because it is not Sendable. In this build of SQLite, each call takes
  // the lock of the connection.
  private let connection: Mutex<UInt>

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open(path, &handle)
    connection = Mutex(UInt(bitPattern: handle))
    guard code == SQLITE_OK else { throw RefusedError(code: code) }
    try execute("PRAGMA busy_timeout = 5000")
    try execute("BEGIN IMMEDIATE")
  }

  deinit { sqlite3_close(connection.withLock { OpaquePointer(bitPattern: $0) }) }

  func release() throws { try execute("ROLLBACK") }

  /// Executes SQL in a store file through another connection, for instance to damage the store.
  static func execute(_ sql: String, in path: String) throws {
    let lock = try StoreLock(path)
    try lock.release()
    try lock.execute(sql)
  }

  private func execute(_ sql: String) throws {
    let code = connection.withLock { sqlite3_exec(OpaquePointer(bitPattern: $0), sql, nil, nil, nil) }
    guard code == SQLITE_OK else { throw RefusedError(code: code) }
  }
}
