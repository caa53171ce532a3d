import Foundation
import GRDB

/// Checks whether a stored position (the anchor of a query) belongs to this store's change log. A position
/// from another store, or from before a backup was restored, does not.
///
/// Use it only inside the read access in which it was created.
struct ChangeLog {
  private let database: Database
  private let store: String
  private let tables: SampleTables

  init(in database: Database) throws {
    self.database = database
    tables = try SampleTables(in: database)
    store = try String.fetchOne(database, sql: "SELECT token FROM store_identity") ?? ""
  }

  /// Returns a string that identifies a position: the ID of the store, and the UUID of the sample that was
  /// added or deleted there, if any.
  func mark(of position: Int64) throws -> String {
    // Search the compressed segments last, because finding a position in them requires decoding a segment.
    let samples = tables.all.map { "SELECT uuid FROM \($0.sql) WHERE id = ?1" }
    let found = samples.prefix(1) + ["SELECT uuid FROM deleted_object WHERE id = ?1"] + samples.dropFirst()
    let statement = try database.cachedStatement(sql: found.joined(separator: " UNION ALL "))
    guard let uuid = try UUID.fetchOne(statement, arguments: [position]) else { return store }
    return "\(store):\(uuid.uuidString)"
  }

  /// Returns whether a position belongs to this store's change log.
  ///
  /// - Parameter mark: The result of `mark(of:)`; `nil` if only the position is known.
  func holds(_ position: Int64, markedWith mark: String?) throws -> Bool {
    guard position <= (try SampleDatabase.lastChange(database)) else { return false }
    guard let mark else { return true }
    let parts = mark.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first.map(String.init) == store else { return false }
    // Without a UUID, the mark was created by an older version, or for a position without a sample. Then only
    // the store's ID can be compared.
    guard parts.count == 2 else { return true }
    guard let uuid = UUID(uuidString: String(parts[1])) else { return false }
    // The sample that was added at the position may have been deleted since then, so search the deletions
    // too.
    let found =
      tables.all.map { "EXISTS (SELECT 1 FROM \($0.sql) WHERE id = ?1 AND uuid = ?2)" }
      + ["EXISTS (SELECT 1 FROM deleted_object WHERE uuid = ?2 AND id >= ?1)"]
    let statement = try database.cachedStatement(sql: "SELECT \(found.joined(separator: " OR "))")
    return try Bool.fetchOne(statement, arguments: [position, uuid]) ?? false
  }
}
