import Foundation
import GRDB

extension StoreUpkeep {
  /// The number of rows to read from each table of a large store, in addition to the first and the last.
  private static let placeCount: Int64 = 100

  /// Checks a store quickly before a gateway uses it, possibly for months, and before a migration, because
  /// damage could spread or stop the gateway later. A missing or empty file is not an error.
  /// - Parameter momentBytes: Maximum size in bytes of a store that is checked completely. In a larger store,
  ///   only some rows are read.
  /// - Throws: `StorageError.damaged` with SQLite's message; `.newerSchema`, `.notASampleDatabase` and
  ///   `.notAFile` for a file that cannot be opened.
  package static func refuseDamaged(_ path: String, momentBytes: Int64 = 64_000_000) throws {
    let size = StoreFile.size(at: path)
    try StorageError.translating {
      try StoreFile.requireFile(at: path)
      guard size > 0 else { return }
      do {
        let findings = try reading(path).read { database in
          try SampleDatabase.refuseNewerSchema(database, path)
          return try size <= momentBytes
            ? SQLiteCheck.problems("quick_check", most: 1, in: database)
            : lookHereAndThere(database)
        }
        if let finding = findings.first { throw StorageError.damaged(path: path, finding) }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
        throw StorageError.damaged(path: path, error.message ?? "SQLITE_CORRUPT")
      }
    }
  }

  /// Reads the first and the last row of each table and index, and some in between. Rows are added at the
  /// end, so damage is most likely there.
  private static func lookHereAndThere(_ database: Database) throws -> [String] {
    let tables = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    for table in tables {
      guard let name: String = table[0], !name.hasPrefix("sqlite_") else { continue }
      let quoted = name.quotedDatabaseIdentifier
      if !(table[1] as String? ?? "").contains("WITHOUT ROWID") { try readRows(of: quoted, database) }
      for index in try database.indexes(on: name) where !index.columns.isEmpty {
        let columns = index.columns.map(\.quotedDatabaseIdentifier)
        for order in ["", " DESC"] {
          let terms = columns.map { $0 + order }.joined(separator: ", ")
          _ = try Row.fetchOne(database, sql: "SELECT * FROM \(quoted) ORDER BY \(terms) LIMIT 1")
        }
      }
    }
    return []
  }

  private static func readRows(of table: String, _ database: Database) throws {
    let ends = try Row.fetchOne(database, sql: "SELECT min(rowid), max(rowid) FROM \(table) NOT INDEXED")
    guard let first: Int64 = ends?[0], let last: Int64 = ends?[1] else { return }
    let look = try database.makeStatement(
      sql: "SELECT * FROM \(table) NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1")
    // A damaged number may have any value, so the subtraction may overflow.
    let (length, isTooLong) = last.subtractingReportingOverflow(first)
    let stride = isTooLong ? .max : max(1, length / placeCount)
    var place = first
    while place < last {
      _ = try Row.fetchOne(look, arguments: [place])
      let (next, overflows) = place.addingReportingOverflow(stride)
      place = overflows ? last : next
    }
    _ = try Row.fetchOne(look, arguments: [last])
  }
}
