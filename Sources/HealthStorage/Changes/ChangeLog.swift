import Foundation
import GRDB

/// Tells a place in this store's change log from one in another's, or in what this one's was before a backup
/// was restored.
///
/// Valid only within the read access that it was made in.
struct ChangeLog {
  private let database: Database
  private let store: String
  private let tables: SampleTables

  init(in database: Database) throws {
    self.database = database
    tables = try SampleTables(in: database)
    store = try String.fetchOne(database, sql: "SELECT token FROM store_identity") ?? ""
  }

  /// The store's name, and the UUID of what was added or deleted at a place where something is.
  func mark(of position: Int64) throws -> String {
    // Blocks come last: who keeps up with the log asks about none.
    let samples = tables.all.map { "SELECT uuid FROM \($0.sql) WHERE id = ?1" }
    let found = samples.prefix(1) + ["SELECT uuid FROM deleted_object WHERE id = ?1"] + samples.dropFirst()
    let statement = try database.cachedStatement(sql: found.joined(separator: " UNION ALL "))
    guard let uuid = try UUID.fetchOne(statement, arguments: [position]) else { return store }
    return "\(store):\(uuid.uuidString)"
  }

  /// - Parameter mark: as `mark(of:)` gave it; nil if nothing is known but the number.
  func holds(_ position: Int64, markedWith mark: String?) throws -> Bool {
    guard position <= (try SampleDatabase.lastChange(database)) else { return false }
    guard let mark else { return true }
    let parts = mark.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first.map(String.init) == store else { return false }
    // Without more: nothing lay there, or an older version made the mark.
    guard parts.count == 2 else { return true }
    guard let uuid = UUID(uuidString: String(parts[1])) else { return false }
    // What was added there may have been deleted since.
    let found =
      tables.all.map { "EXISTS (SELECT 1 FROM \($0.sql) WHERE id = ?1 AND uuid = ?2)" }
      + ["EXISTS (SELECT 1 FROM deleted_object WHERE uuid = ?2 AND id >= ?1)"]
    let statement = try database.cachedStatement(sql: "SELECT \(found.joined(separator: " OR "))")
    return try Bool.fetchOne(statement, arguments: [position, uuid]) ?? false
  }
}
