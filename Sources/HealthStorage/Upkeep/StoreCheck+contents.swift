import Foundation
import GRDB

/// Packed values that must decode, and rows that must not contradict each other.
extension StoreCheck {
  /// What an older schema does not have yet is passed over.
  mutating func checkContents() throws {
    for packed in Self.packed where try database.tableExists(packed.table) {
      try attempt(.content, "the rows of \(packed.table)") { check throws in try check.undecoded(packed) }
    }
    for contradiction in Self.contradictions
    where try contradiction.tables.allSatisfy({ try database.tableExists($0) }) {
      try attempt(.content, contradiction.tables.joined(separator: " and ")) { check throws in
        let count = try Int.fetchOne(check.database, sql: contradiction.sql) ?? 0
        return count > 0 ? [StoreFinding(kind: .content, text: contradiction.text, count: count)] : []
      }
    }
  }

  // MARK: - Packed values

  private struct Packed {
    var table: String
    var columns: String
    var isSound: (Row) -> Bool

    init(_ table: String, _ columns: String, _ isSound: @escaping (Row) -> Bool) {
      self.table = table
      self.columns = columns
      self.isSound = isSound
    }
  }

  private static var packed: [Packed] {
    [
      Packed("metadata", "encoded") { MetadataCodec.decode(bytes($0)) != nil },
      Packed("heartbeat_series", "beats, count") {
        HeartbeatCodec.decode(bytes($0))?.count == $0[1] as Int?
      },
      Packed(
        "quantity_series", "quantities, count, (SELECT start FROM sample WHERE id = quantity_series.sample)"
      ) { row in
        QuantitySeriesCodec.decode(bytes(row), from: row[2] as Int64? ?? 0)?.count == row[1] as Int?
      },
      Packed("location_series", "locations, count") {
        LocationCodec.decode(bytes($0))?.count == $0[1] as Int?
      },
    ]
  }

  private static func bytes(_ row: Row) -> [UInt8] { Array((row[0] as Data?) ?? Data()) }

  private func undecoded(_ packed: Packed) throws -> [StoreFinding] {
    let rows = try Row.fetchCursor(database, sql: "SELECT \(packed.columns) FROM \(packed.table)")
    var flawed = 0
    while let row = try rows.next() {
      if !packed.isSound(row) { flawed += 1 }
    }
    guard flawed > 0 else { return [] }
    return [
      StoreFinding(kind: .content, text: "a row of \(packed.table) does not decode", count: flawed)
    ]
  }

  // MARK: - Contradictions

  private struct Contradiction {
    var text: String
    var tables: [String]
    /// How many rows say otherwise than those that they go with.
    var sql: String

    init(_ text: String, among tables: [String], _ sql: String) {
      self.text = text
      self.tables = tables
      self.sql = sql
    }
  }

  private static let contradictions = [
    Contradiction(
      "a type has a sample longer than its longest", among: ["object_type", "sample"],
      """
      SELECT count(*) FROM object_type WHERE longest <
        (SELECT max(end - start) FROM sample WHERE type = object_type.id AND end IS NOT NULL)
      """),
    Contradiction(
      "the place of a series is not that of its sample", among: ["series_place", "sample"],
      """
      SELECT count(*) FROM series_place JOIN sample ON sample.id = series_place.sample
      WHERE sample.type <> series_place.type OR sample.start <> series_place.start
      """),
    Contradiction(
      "a series has no place", among: ["quantity_series", "series_place"],
      "SELECT count(*) FROM quantity_series WHERE sample NOT IN (SELECT sample FROM series_place)"),
    Contradiction(
      "a sync identifier is of another type than its sample", among: ["synced_object", "sample"],
      """
      SELECT count(*) FROM synced_object JOIN sample ON sample.id = synced_object.sample
      WHERE sample.type <> synced_object.type
      """),
    Contradiction(
      "a quantity is no number", among: ["sample"],
      "SELECT count(*) FROM sample WHERE unit IS NOT NULL AND value IS NULL"),
  ]
}
