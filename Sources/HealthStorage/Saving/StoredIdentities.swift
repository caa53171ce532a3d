import Foundation
import GRDB

/// Looks up whether samples are stored, in rows or in segments. Valid only within the database access that it
/// was created in.
struct StoredIdentities {
  private let database: Database
  private let damaged: DamagedBlocks
  /// Created at the first use. Most commits have no use for it, because new measurements end later than all
  /// stored ones.
  private var packed: PackedIdentities?

  /// - Parameter damaged: records unreadable segments that may contain a requested sample.
  init(in database: Database, _ damaged: DamagedBlocks) {
    self.database = database
    self.damaged = damaged
  }

  /// Whether a sample is in a segment.
  mutating func isPacked(_ uuid: UUID) throws -> Bool {
    let known = try packed ?? PackedIdentities(in: database, damaged)
    packed = known
    return try known.contains(uuid)
  }

  mutating func contain(_ uuid: UUID) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE uuid = ?")
    return try Int.fetchOne(statement, arguments: [uuid]) != nil || isPacked(uuid)
  }

  /// Must be called after writing a segment.
  mutating func forgetBlocks() { packed = nil }
}
