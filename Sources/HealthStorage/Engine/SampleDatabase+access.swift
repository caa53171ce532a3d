import GRDB

/// All access to the database. SQLite's errors are translated to `StorageError`.
extension SampleDatabase {
  /// Reads from one snapshot.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await StorageError.translating {
      try await writer.read { database in try skipping { try body(database) } }
    }
  }

  /// Runs a search, which skips damaged blocks if this database does.
  func skipping<Value>(_ search: () throws -> Value) throws -> Value {
    try DamagedBlocks.$skipped.withValue(skipsDamagedBlocks ? damagedBlocks : nil, operation: search)
  }

  /// Writes in one transaction.
  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try requireWritable()
    return try await StorageError.translating { try await writer.write(body) }
  }

  /// Writes without opening a transaction; `body` opens its own.
  func writeInOwnTransaction<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try requireWritable()
    return try await StorageError.translating { try await writer.writeWithoutTransaction(body) }
  }

  /// Writes in one transaction without waiting for the disk. The data survives the end of the program, but a
  /// power failure may undo it together with later writes of this kind. The next `write` also syncs it. Not
  /// cancelled with the task.
  func writeWithoutSync<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    // Runs in a separate task, because a cancelled task could not reset `synchronous`.
    try await Task {
      try await writeInOwnTransaction { database in
        // Outside the transaction, because SQLite refuses the change inside one.
        try database.execute(sql: "PRAGMA synchronous = NORMAL")
        let result = Result {
          var value: Value?
          try database.inTransaction {
            value = try body(database)
            return .commit
          }
          return value
        }
        try database.execute(sql: "PRAGMA synchronous = FULL")
        guard let value = try result.get() else { throw StorageError.damagedRow }
        return value
      }
    }.value
  }

  /// Caps the writer's page cache (SQLite's default is 2,000 kB), for long-lived processes that write little.
  package func limitPageCache(toKilobytes kilobytes: Int) throws {
    try StorageError.translating {
      try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -\(kilobytes)") }
    }
  }

  /// Like `read`, but blocks instead of suspending.
  func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try StorageError.translating { try writer.read(body) }
  }

  /// Like `write`, but blocks instead of suspending.
  func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try requireWritable()
    return try StorageError.translating { try writer.write(body) }
  }

  /// Throws if the file system is read-only. After the kernel's emergency remount (ext4), writes and syncs to
  /// an open file may still report success although nothing reaches the disk.
  private func requireWritable() throws {
    guard let path, StoreFile.isOnReadOnlyFileSystem(path) else { return }
    throw StorageError.readOnlyFileSystem(path: path)
  }
}
