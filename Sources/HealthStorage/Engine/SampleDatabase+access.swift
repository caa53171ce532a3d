import GRDB

/// All access to the database. SQLite's errors are translated to `StorageError`.
extension SampleDatabase {
  /// Reads from one snapshot of the database.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    let (value, reader) = try await StorageError.translating {
      try await writer.read { database in
        (try skipping { try body(database) }, try unrecordedReader(in: database))
      }
    }
    if let reader { await recordReading(by: reader) }
    return value
  }

  /// Runs a search, skipping damaged compressed segments if this database is configured to do so.
  func skipping<Value>(_ search: () throws -> Value) throws -> Value {
    try DamagedBlocks.$skipped.withValue(skipsDamagedBlocks ? damagedBlocks : nil, operation: search)
  }

  /// Writes in one transaction.
  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try requireWritable()
    return try await StorageError.translating { try await writer.write(body) }
  }

  /// Writes outside a transaction. `body` starts its own.
  func writeInOwnTransaction<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try requireWritable()
    return try await StorageError.translating { try await writer.writeWithoutTransaction(body) }
  }

  /// Writes in one transaction without waiting for the disk. The data survives a crash of the program, but a
  /// power failure may lose it until the next `write`, which also syncs it. Canceling the task does not
  /// cancel the write.
  /// - Parameter waitsForLocks: Whether to wait while another program has the file locked.
  func writeWithoutSync<Value: Sendable>(
    waitsForLocks: Bool = true, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    // Use a separate task, because a canceled one could not reset `synchronous`.
    try await Task {
      try await writeInOwnTransaction { try Self.withoutSync(waitsForLocks: waitsForLocks, $0, body) }
    }.value
  }

  static func withoutSync<Value>(
    waitsForLocks: Bool, _ database: Database, _ body: (Database) throws -> Value
  ) throws -> Value {
    // Outside the transaction, because SQLite does not allow this change inside one.
    try database.execute(sql: "PRAGMA synchronous = NORMAL")
    let result = Result {
      var value: Value?
      try BusyTimeout.$waitsForLocks.withValue(waitsForLocks) {
        try database.inTransaction(.immediate) {
          value = try body(database)
          return .commit
        }
      }
      return value
    }
    try database.execute(sql: "PRAGMA synchronous = FULL")
    guard let value = try result.get() else { throw StorageError.damagedRow }
    return value
  }

  /// Limits the page cache of the writing connection (SQLite's default is 2,000 kB), for programs that run
  /// for a long time and write little.
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

  /// Throws if what is written would be lost, although writes and syncs of the open file report success: if
  /// the file system is read-only (after an error, the kernel may remount ext4 read-only), or if the file was
  /// deleted or replaced.
  private func requireWritable() throws {
    guard let path else { return }
    if StoreFile.isOnReadOnlyFileSystem(path) { throw StorageError.readOnlyFileSystem(path: path) }
    if FileIdentity.number(of: path) != file { throw StorageError.fileReplaced(path: path) }
  }
}
