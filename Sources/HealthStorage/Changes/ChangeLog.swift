import Foundation
import GRDB

/// Tells a place in this store's change log from one in another's, or in what this one's was before a backup
/// was restored.
///
/// Valid only within the read access that it was made in.
struct ChangeLog {
  private let database: Database
  private let store: String

  init(in database: Database) throws {
    self.database = database
    store = try String.fetchOne(database, sql: "SELECT token FROM store_identity") ?? ""
  }

  /// The store's name, and the UUID of what was added or deleted at a place where something is.
  func mark(of position: Int64) throws -> String {
    let statement = try database.cachedStatement(
      sql: """
        SELECT uuid FROM sample WHERE id = ?1 UNION ALL SELECT uuid FROM deleted_object WHERE id = ?1
        """)
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
    let statement = try database.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM sample WHERE id = ?1 AND uuid = ?2)
          OR EXISTS (SELECT 1 FROM deleted_object WHERE uuid = ?2 AND id >= ?1)
        """)
    return try Bool.fetchOne(statement, arguments: [position, uuid]) ?? false
  }
}
