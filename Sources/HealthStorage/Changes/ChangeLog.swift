import Foundation
import GRDB

/// Recognizes whether a position belongs to this store's change log. It does not if it comes from another
/// store, or from the time before a backup was restored.
///
/// Valid only within the read access in which it was created.
struct ChangeLog {
  private let database: Database
  private let store: String
  private let tables: SampleTables

  init(in database: Database) throws {
    self.database = database
    tables = try SampleTables(in: database)
    store = try String.fetchOne(database, sql: "SELECT token FROM store_identity") ?? ""
  }

  /// Returns the store's identity, followed by the UUID of the object added or deleted at the position, if
  /// any.
  func mark(of position: Int64) throws -> String {
    // Blocks come last, because a reader that keeps up with the log never has a position within them.
    let samples = tables.all.map { "SELECT uuid FROM \($0.sql) WHERE id = ?1" }
    let found = samples.prefix(1) + ["SELECT uuid FROM deleted_object WHERE id = ?1"] + samples.dropFirst()
    let statement = try database.cachedStatement(sql: found.joined(separator: " UNION ALL "))
    guard let uuid = try UUID.fetchOne(statement, arguments: [position]) else { return store }
    return "\(store):\(uuid.uuidString)"
  }

  /// - Parameter mark: the result of `mark(of:)`; nil if only the position is known.
  func holds(_ position: Int64, markedWith mark: String?) throws -> Bool {
    guard position <= (try SampleDatabase.lastChange(database)) else { return false }
    guard let mark else { return true }
    let parts = mark.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first.map(String.init) == store else { return false }
    // A mark without UUID: the position was empty, or an older version made the mark.
    guard parts.count == 2 else { return true }
    guard let uuid = UUID(uuidString: String(parts[1])) else { return false }
    // The object added at the position may have been deleted since.
    let found =
      tables.all.map { "EXISTS (SELECT 1 FROM \($0.sql) WHERE id = ?1 AND uuid = ?2)" }
      + ["EXISTS (SELECT 1 FROM deleted_object WHERE uuid = ?2 AND id >= ?1)"]
    let statement = try database.cachedStatement(sql: "SELECT \(found.joined(separator: " OR "))")
    return try Bool.fetchOne(statement, arguments: [position, uuid]) ?? false
  }
}
