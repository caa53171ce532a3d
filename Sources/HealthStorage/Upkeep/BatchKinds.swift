import Foundation
import GRDB

/// What the samples in batches are of: the rows of batches do not say it themselves. Valid only within the
/// access that it was made in.
enum BatchKinds {
  /// - Returns: nil where one cannot be read; none in a store that is older than batches.
  static func all(in database: Database) throws -> Set<BlockKind>? {
    var kinds: Set<BlockKind> = []
    let isWhole = try forEach(in: database) { kinds.insert($0.header.kind) }
    return isWhole ? kinds : nil
  }

  /// How many samples there are, as far as they can be read.
  /// - Returns: JSON: arrays of type, provenance and number.
  static func counts(in database: Database) throws -> String {
    var counts: [[Int64]: Int] = [:]
    _ = try forEach(in: database) { block in
      counts[[block.header.kind.type, block.header.kind.provenance], default: 0] += block.count
    }
    return "\(counts.map { "[\($0.key[0]), \($0.key[1]), \($0.value)]" })".replacing("\"", with: "")
  }

  /// - Returns: whether all could be read.
  private static func forEach(in database: Database, _ body: (StoredBlock) -> Void) throws -> Bool {
    guard try database.tableExists("batch") else { return true }
    let reader = BlockReader(in: database)
    var isWhole = true
    for row in try PackedRows(in: database).all where row.isBatch {
      do {
        for block in try reader.blocks(row) { body(block) }
      } catch BlockFailure.damaged {
        isWhole = false
      }
    }
    return isWhole
  }
}
