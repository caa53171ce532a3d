import Foundation
import GRDB

/// Looks up whether samples are already stored as rows or in compressed segments, to deduplicate them. Use it
/// only inside the database access in which it was created.
struct StoredIdentities {
  private let database: Database
  private let damaged: DamagedBlocks
  /// Looks up samples in compressed segments. Created when needed, because most commits do not need it: new
  /// measurements end later than all stored ones.
  private var packed: PackedIdentities?

  /// - Parameter damaged: Collects damaged segments that may contain a requested sample.
  init(in database: Database, _ damaged: DamagedBlocks) {
    self.database = database
    self.damaged = damaged
  }

  /// Returns whether a sample is in a compressed segment.
  mutating func isPacked(_ uuid: UUID) throws -> Bool {
    let known = try packed ?? PackedIdentities(in: database, damaged)
    packed = known
    return try known.contains(uuid)
  }

  mutating func contain(_ uuid: UUID) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE uuid = ?")
    return try Int.fetchOne(statement, arguments: [uuid]) != nil || isPacked(uuid)
  }

  /// Discards the information about compressed segments. Call it after writing a segment.
  mutating func forgetBlocks() { packed = nil }
}
