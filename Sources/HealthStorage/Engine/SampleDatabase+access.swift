import GRDB

/// The ways to the rows. What SQLite refuses comes out under SQLite's own name.
extension SampleDatabase {
  /// Reads one snapshot.
  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await writer.read(body)
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Writes in one transaction, all of it or nothing.
  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await writer.write(body)
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Writes; the body has a transaction of its own.
  func writeInOwnTransaction<Value: Sendable>(
    _ body: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await writer.writeWithoutTransaction(body)
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// Caps the writer's page cache (SQLite's default is 2,000 kB), for long-lived processes that write little.
  package func limitPageCache(toKilobytes kilobytes: Int) throws {
    do {
      try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = -\(kilobytes)") }
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// As `read`, for answers that cannot be waited for: it blocks.
  func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do {
      return try writer.read(body)
    } catch {
      throw StorageFailure.naming(error)
    }
  }

  /// As `write`; it blocks.
  func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do {
      return try writer.write(body)
    } catch {
      throw StorageFailure.naming(error)
    }
  }
}
