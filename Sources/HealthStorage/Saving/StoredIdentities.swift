import Foundation
import GRDB

/// Looks up whether samples are stored, as rows or in compressed segments. Use it only inside the database
/// access in which it was created.
struct StoredIdentities {
  private let database: Database
  private let damaged: DamagedBlocks
  /// The UUIDs in compressed segments. They are not read before they are needed, because new measurements are
  /// later than all segments.
  private var packed: PackedIdentities?

  /// - Parameter damaged: Gets the damaged compressed segments that may contain one of the samples.
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

  /// Call it after a compressed segment was written.
  mutating func forgetBlocks() { packed = nil }
}
