import Foundation
import GRDB

/// Says which samples are stored, in rows or in blocks. Valid only within the access that it was made in.
struct StoredIdentities {
  private let database: Database
  private let damaged: DamagedBlocks
  /// Nil until somebody asks: what is measured now is in no block.
  private var packed: PackedIdentities?

  /// - Parameter damaged: told of blocks that cannot be read and may hold what is asked for.
  init(in database: Database, _ damaged: DamagedBlocks) {
    self.database = database
    self.damaged = damaged
  }

  /// Whether a sample is in a block.
  mutating func isPacked(_ uuid: UUID) throws -> Bool {
    let known = try packed ?? PackedIdentities(in: database, damaged)
    packed = known
    return try known.contains(uuid)
  }

  mutating func contain(_ uuid: UUID) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM sample WHERE uuid = ?")
    return try Int.fetchOne(statement, arguments: [uuid]) != nil || isPacked(uuid)
  }

  /// To be called after a block was written.
  mutating func forgetBlocks() { packed = nil }
}
