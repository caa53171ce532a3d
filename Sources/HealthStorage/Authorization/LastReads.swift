import Foundation
import GRDB
import Synchronization

/// When this process last stored that an application reads, so that it does not write at each read.
final class LastReads: Sendable {
  /// The precision of the stored times.
  static let interval = Duration.seconds(300)

  private let stored = Mutex<[String: ContinuousClock.Instant]>([:])

  /// Returns whether the time of a read of this application has to be stored.
  func isDue(_ application: String) -> Bool { stored.withLock { Self.isDue($0[application]) } }

  /// - Returns: `false` if another task has begun to store it.
  func begin(_ application: String) -> Bool {
    stored.withLock { stored in
      guard Self.isDue(stored[application]) else { return false }
      stored[application] = .now
      return true
    }
  }

  private static func isDue(_ last: ContinuousClock.Instant?) -> Bool {
    last.map { $0.duration(to: .now) >= interval } ?? true
  }

  func fail(_ application: String) { stored.withLock { $0[application] = nil } }
}

/// The times at which applications last read with permission of the user. They are in the table `sync_value`,
/// and are up to five minutes old.
extension SampleDatabase {
  private static let lastReadOwner = "org.hrgate.lastRead"

  /// Returns when each application last read, by bundle identifier, in microseconds since 1970. Applications
  /// without permission to read anything, which only see their own samples, are missing.
  package func lastReadTimes() async throws -> [String: Int64] {
    try await read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT key, CAST(value AS INTEGER) FROM sync_value WHERE owner = ?",
        arguments: [Self.lastReadOwner])
      return try Dictionary(rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) }) { first, _ in
        first
      }
    }
  }

  /// Returns the application whose reading is to be stored; `nil` if it was stored a short time ago, or if
  /// the application may not read.
  func unrecordedReader(in database: Database) throws -> String? {
    guard recordsReads, case .reading(let types, let application) = admission, lastReads.isDue(application)
    else { return nil }
    let lookup = try PermissionLookup(application, in: database)
    return try types.contains { try lookup.allowsReading($0, in: database) } ? application : nil
  }

  func recordReading(by application: String) async {
    guard lastReads.begin(application) else { return }
    do {
      try await writeWithoutSync(waitsForLocks: false) { try Self.store(application, in: $0) }
    } catch {
      lastReads.fail(application)
    }
  }

  /// Like `recordReading`, but synchronous.
  func recordReadingNow(by application: String) {
    guard lastReads.begin(application) else { return }
    do {
      try StorageError.translating {
        try writer.writeWithoutTransaction { database in
          try Self.withoutSync(waitsForLocks: false, database) { try Self.store(application, in: $0) }
        }
      }
    } catch {
      lastReads.fail(application)
    }
  }

  private static func store(_ application: String, in database: Database) throws {
    let now = Int64(Date().timeIntervalSince1970 * 1e6)
    try database.execute(
      sql: """
        INSERT INTO sync_value (owner, key, value) VALUES (?, ?, CAST(? AS BLOB))
        ON CONFLICT DO UPDATE SET value = excluded.value
        """,
      arguments: [lastReadOwner, application, String(now)])
  }
}

extension PermissionLookup {
  /// Returns whether the application may read samples of a type that others have saved.
  fileprivate func allowsReading(_ type: ProtectedType, in database: Database) throws -> Bool {
    switch type {
    case .type(let identifier): try permission(for: identifier).read == true
    case .container(_, let parts): try parts.contains { try permission(for: $0).read == true }
    case .objects(let identifier):
      try permission(for: identifier).read == true
        || Bool.fetchOne(
          database,
          sql: """
            SELECT EXISTS (SELECT 1 FROM readable_object JOIN application
            ON application.id = readable_object.application WHERE application.identifier = ?)
            """,
          arguments: [application]) == true
    }
  }
}
