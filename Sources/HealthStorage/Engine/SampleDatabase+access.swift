import GRDB

/// All access to the database. Errors of SQLite are translated to `StorageError`.
extension SampleDatabase {
  /// Reads from one snapshot of the database.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await StorageError.translating {
      try await writer.read { database in try skipping { try body(database) } }
    }
  }

  /// Runs a search. It skips damaged compressed segments if this database is configured so.
  func skipping<Value>(_ search: () throws -> Value) throws -> Value {
    try DamagedBlocks.$skipped.withValue(skipsDamagedBlocks ? damagedBlocks : nil, operation: search)
  }

  /// Writes in one transaction.
  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try requireWritable()
    return try await StorageError.translating { try await writer.write(body) }
  }

  /// Writes without starting a transaction, because `body` starts its own.
  func writeInOwnTransaction<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try requireWritable()
    return try await StorageError.translating { try await writer.writeWithoutTransaction(body) }
  }

  /// Writes in one transaction without waiting for the disk. The data survives the end of the program, but
  /// not always a power failure. The next `write` also syncs this data. Canceling the task does not cancel
  /// the write.
  func writeWithoutSync<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    // Use a separate task, because a canceled task could not reset `synchronous`.
    try await Task {
      try await writeInOwnTransaction { database in
        // Do this outside the transaction, because SQLite does not allow the change inside one.
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

  /// Limits the page cache of the writing connection (SQLite's default is 2,000 kB). For programs that run
  /// for long and write little.
  package func limitPageCache(toKilobytes kilobytes: Int) throws {
    try StorageError.translating {
      try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -\(kilobytes)") }
    }
  }

  /// Like `read`, but synchronous.
  func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try StorageError.translating { try writer.read(body) }
  }

  /// Like `write`, but synchronous.
  func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try requireWritable()
    return try StorageError.translating { try writer.write(body) }
  }

  /// Throws if the file system is read-only. After an error, the kernel may remount ext4 read-only. Then
  /// writes and syncs of an open file may still report success although nothing is written.
  private func requireWritable() throws {
    guard let path, StoreFile.isOnReadOnlyFileSystem(path) else { return }
    throw StorageError.readOnlyFileSystem(path: path)
  }
}
