import Foundation
import GRDB

/// What the samples in batches are of: the rows of batches do not say it themselves. Valid only within the
/// access that it was made in.
enum BatchKinds {
  /// - Returns: those of the batches that can be read, and whether all could be; none in a store that is
  ///   older than batches.
  static func all(in database: Database) throws -> (kinds: Set<BlockKind>, isWhole: Bool) {
    var kinds: Set<BlockKind> = []
    let isWhole = try forEach(in: database) { kinds.insert($0.header.kind) }
    return (kinds, isWhole)
  }

  /// Ids of which the rows are gone: no foreign key is theirs.
  /// - Returns: the tables in which they are, and how many.
  static func missing(in database: Database) throws -> [String: Int] {
    let kinds = try all(in: database).kinds
    let ids: [(table: String, ids: [Int64])] = [
      ("object_type", kinds.map(\.type)), ("unit", kinds.map(\.unit)),
      ("provenance", kinds.map(\.provenance)), ("metadata", kinds.compactMap(\.metadata)),
    ]
    var missing: [String: Int] = [:]
    for (table, ids) in ids {
      missing[table] = try Int.fetchOne(
        database,
        sql: "SELECT count(DISTINCT value) FROM json_each(?) WHERE value NOT IN (SELECT id FROM \(table))",
        arguments: ["\(ids)"])
    }
    return missing.filter { $0.value > 0 }
  }

  /// How many samples there are, as far as they can be read.
  /// - Returns: JSON: arrays of type, provenance and number.
  static func counts(in database: Database) throws -> String {
    var counts: [[Int64]: Int] = [:]
    _ = try forEach(in: database) { block in
      counts[[block.header.kind.type, block.header.kind.provenance], default: 0] += block.count
    }
    return "\(counts.map { $0.key + [Int64($0.value)] })"
  }

  /// - Returns: whether all could be read.
  private static func forEach(in database: Database, _ body: (StoredBlock) -> Void) throws -> Bool {
    let reader = BlockReader(in: database)
    var isWhole = true
    for row in try PackedRows(in: database).all(["batch"]) {
      do throws(BlockFailure) {
        for block in try reader.blocks(row) { body(block) }
      } catch {
        guard case .damaged = error else { throw error.storageFailure }
        isWhole = false
      }
    }
    return isWhole
  }
}
