import GRDB

/// Every access to the rows. SQLite's errors keep SQLite's names.
extension SampleDatabase {
  /// Reads one snapshot.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await StorageFailure.translating {
      try await writer.read { database in try skipping { try body(database) } }
    }
  }

  /// Runs a search, which skips damaged blocks if this database does.
  func skipping<Value>(_ search: () throws -> Value) throws -> Value {
    try DamagedBlocks.$skipped.withValue(skipsDamagedBlocks ? damagedBlocks : nil, operation: search)
  }

  /// Writes in one transaction, all of it or nothing.
  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try requireWritable()
    return try await StorageFailure.translating { try await writer.write(body) }
  }

  /// Writes; the body has a transaction of its own.
  func writeInOwnTransaction<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try requireWritable()
    return try await StorageFailure.translating { try await writer.writeWithoutTransaction(body) }
  }

  /// Writes in one transaction, and does not wait until it is on the disk: it survives the end of the
  /// program, and a power failure may undo it, with nothing but what was written in this way since. The next
  /// `write` carries it to the disk with its own. It is not cancelled with the task.
  func writeWithoutSync<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    // A task of its own: a cancelled one could not switch back.
    try await Task {
      try await writeInOwnTransaction { database in
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
        guard let value = try result.get() else { throw StorageFailure.damagedRow }
        return value
      }
    }.value
  }

  /// Caps the writer's page cache (SQLite's default is 2,000 kB), for long-lived processes that write little.
  package func limitPageCache(toKilobytes kilobytes: Int) throws {
    try StorageFailure.translating {
      try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -\(kilobytes)") }
    }
  }

  /// As `read`, for callers that cannot suspend: it blocks.
  func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try StorageFailure.translating { try writer.read(body) }
  }

  /// As `write`; it blocks.
  func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try requireWritable()
    return try StorageFailure.translating { try writer.write(body) }
  }

  /// A kernel that makes a file system read-only may still take what is written to a file that was open, and
  /// even say that it is on the disk, where it never comes (ext4's emergency remount).
  private func requireWritable() throws {
    guard let path, StoreFile.isOnReadOnlyFileSystem(path) else { return }
    throw StorageFailure.readOnlyFileSystem(path: path)
  }
}
