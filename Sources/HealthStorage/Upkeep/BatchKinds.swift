import Foundation
import GRDB

/// The types, units, provenances and metadata of the samples in batches, which are only in the packed bytes
/// and in no column. Valid only within the database access that it is used in.
enum BatchKinds {
  /// - Returns: the kinds of the readable batches, and whether every batch was readable. Empty for a store
  ///   whose schema is older than batches.
  static func all(in database: Database) throws -> (kinds: Set<BlockKind>, isWhole: Bool) {
    var kinds: Set<BlockKind> = []
    let isWhole = try forEach(in: database) { kinds.insert($0.header.kind) }
    return (kinds, isWhole)
  }

  /// Counts the IDs in batches that refer to missing rows. Batches have no foreign keys that SQLite could
  /// check.
  /// - Returns: the number of missing rows by table; tables without missing rows are left out.
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

  /// Counts the samples of the readable batches.
  /// - Returns: a JSON array of `[type, provenance, count]`.
  static func counts(in database: Database) throws -> String {
    var counts: [[Int64]: Int] = [:]
    _ = try forEach(in: database) { block in
      counts[[block.header.kind.type, block.header.kind.provenance], default: 0] += block.count
    }
    return "\(counts.map { $0.key + [Int64($0.value)] })"
  }

  /// - Returns: whether every batch was readable.
  private static func forEach(in database: Database, _ body: (StoredBlock) -> Void) throws -> Bool {
    let reader = BlockReader(in: database)
    var isWhole = true
    for row in try PackedRows(in: database).all(["batch"]) {
      do throws(BlockReadError) {
        for block in try reader.blocks(row) { body(block) }
      } catch {
        guard case .damaged = error else { throw error.storageFailure }
        isWhole = false
      }
    }
    return isWhole
  }
}
