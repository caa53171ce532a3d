import CSQLite
import Synchronization

/// Another connection that holds the write lock of a store's file, as another program's long transaction
/// would.
final class StoreLock: Sendable {
  struct Refused: Error {
    var code: Int32
  }

  // An address may go from thread to thread: SQLite is built so that each call takes the connection's own
  // lock.
  private let connection: Mutex<UInt>

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open(path, &handle)
    connection = Mutex(UInt(bitPattern: handle))
    guard code == SQLITE_OK else { throw Refused(code: code) }
    try execute("PRAGMA busy_timeout = 5000")
    try execute("BEGIN IMMEDIATE")
  }

  deinit { sqlite3_close(connection.withLock { OpaquePointer(bitPattern: $0) }) }

  func release() throws { try execute("ROLLBACK") }

  /// Has another connection change a store, as whoever breaks it would.
  static func execute(_ sql: String, in path: String) throws {
    let lock = try StoreLock(path)
    try lock.release()
    try lock.execute(sql)
  }

  private func execute(_ sql: String) throws {
    let code = connection.withLock { sqlite3_exec(OpaquePointer(bitPattern: $0), sql, nil, nil, nil) }
    guard code == SQLITE_OK else { throw Refused(code: code) }
  }
}
