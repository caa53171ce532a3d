import GRDB

/// Every access to the rows. SQLite's errors keep SQLite's names.
extension SampleDatabase {
  /// Reads one snapshot.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await StorageFailure.translating { try await writer.read(body) }
  }

  /// Writes in one transaction, all of it or nothing.
  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await StorageFailure.translating { try await writer.write(body) }
  }

  /// Writes; the body has a transaction of its own.
  func writeInOwnTransaction<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await StorageFailure.translating { try await writer.writeWithoutTransaction(body) }
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
    try StorageFailure.translating { try writer.write(body) }
  }
}
