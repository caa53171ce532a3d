import Foundation
import GRDB

/// Checks that encoded values can be decoded, and that rows do not contradict each other.
extension StoreCheck {
  /// Checks all contents, skipping tables that an older schema does not have.
  mutating func checkContents() throws {
    for packed in Self.packed where try database.tableExists(packed.table) {
      try attempt(.content, "the rows of \(packed.table)") { check throws in try check.problems(packed) }
    }
    let meaningless = MeaninglessRows.all(haveBlocks: try database.tableExists("block"))
    for contradiction in Self.contradictions + meaningless.map(\.contradiction)
    where try contradiction.tables.allSatisfy({ try database.tableExists($0) }) {
      try attempt(.content, contradiction.tables.joined(separator: " and ")) { check throws in
        let count = try Int.fetchOne(check.database, sql: contradiction.sql) ?? 0
        return count > 0 ? [StoreFinding(kind: .content, text: contradiction.text, count: count)] : []
      }
    }
  }

  // MARK: - Encoded values

  private struct Packed {
    var table: String
    var columns: String
    /// Returns the problem with a row; `nil` if the row is valid.
    /// - Throws: `RowDecodingError`, because a damaged value may not have its column's type.
    var flaw: (Row) throws -> String?

    init(_ table: String, _ columns: String, _ flaw: @escaping (Row) throws -> String?) {
      self.table = table
      self.columns = columns
      self.flaw = flaw
    }

    init(_ table: String, _ columns: String, decodes: @escaping (Row) throws -> Bool) {
      self.init(table, columns) { try decodes($0) ? nil : Self.undecoded(table) }
    }

    static func undecoded(_ table: String) -> String { "a row of \(table) cannot be decoded" }
  }

  private static var packed: [Packed] {
    [
      Packed("metadata", "encoded", decodes: { try MetadataCodec.decode(bytes($0)) != nil }),
      Packed(
        "heartbeat_series", "beats, count",
        decodes: { try HeartbeatCodec.decode(bytes($0))?.count == count($0) }),
      Packed("open_series", "beats, count") { row in
        // The beats of an unfinished series are NULL if the user has deleted the series.
        let isSound = try row.hasNull(atIndex: 0) || HeartbeatCodec.decode(bytes(row))?.count == count(row)
        return isSound ? nil : Packed.undecoded("open_series")
      },
      Packed(
        "quantity_series",
        """
        quantities, count, (SELECT start FROM sample WHERE id = quantity_series.sample),
        minimum, maximum, latest, latest_start, latest_end
        """
      ) { row in
        guard
          let quantities = QuantitySeriesCodec.decode(try bytes(row), from: try row.decode(atIndex: 2) ?? 0),
          try quantities.count == count(row)
        else { return Packed.undecoded("quantity_series") }
        return try extremes(row) == SeriesExtremes(of: quantities)
          ? nil : "the stored figures of a series differ from its quantities"
      },
      Packed(
        "location_series", "locations, count",
        decodes: { try LocationCodec.decode(bytes($0))?.count == count($0) }),
      Packed("voltage_series", "voltages", decodes: { try VoltageCodec.decode(bytes($0)) != nil }),
    ]
  }

  private static func bytes(_ row: Row) throws -> [UInt8] {
    Array((try row.decode(atIndex: 0) as Data?) ?? Data())
  }

  private static func count(_ row: Row) throws -> Int? { try row.decode(atIndex: 1) }

  private static func extremes(_ row: Row) throws -> SeriesExtremes {
    SeriesExtremes(
      minimum: try row.decode(atIndex: 3), maximum: try row.decode(atIndex: 4),
      latest: SeriesQuantity(
        start: try row.decode(atIndex: 6), end: try row.decode(atIndex: 7), value: try row.decode(atIndex: 5))
    )
  }

  private func problems(_ packed: Packed) throws -> [StoreFinding] {
    let rows = try Row.fetchCursor(database, sql: "SELECT \(packed.columns) FROM \(packed.table)")
    var counts: [String: Int] = [:]
    while let row = try rows.next() {
      do {
        if let flaw = try packed.flaw(row) { counts[flaw, default: 0] += 1 }
      } catch is RowDecodingError {
        counts[Packed.undecoded(packed.table), default: 0] += 1
      }
    }
    return counts.sorted(by: <).map { StoreFinding(kind: .content, text: $0.key, count: $0.value) }
  }

  // MARK: - Contradictions

  private static let contradictions: [RowContradiction] = [
    RowContradiction(
      "a sample is longer than the longest duration of its type", among: ["object_type", "sample"],
      """
      SELECT count(*) FROM object_type WHERE longest <
        (SELECT max(end - start) FROM sample WHERE type = object_type.id AND end IS NOT NULL)
      """),
    RowContradiction(
      "the index entry of a series differs from its sample", among: ["series_place", "sample"],
      """
      SELECT count(*) FROM series_place JOIN sample ON sample.id = series_place.sample
      WHERE sample.type <> series_place.type OR sample.start <> series_place.start
      """),
    RowContradiction(
      "a series has no index entry", among: ["quantity_series", "series_place"],
      "SELECT count(*) FROM quantity_series WHERE sample NOT IN (SELECT sample FROM series_place)"),
  ]
}

/// A contradiction between rows that ``MeaninglessRows`` does not cover.
struct RowContradiction {
  var text: String
  var tables: [String]
  /// An SQL query that returns the number of such rows.
  var sql: String

  init(_ text: String, among tables: [String], _ sql: String) {
    self.text = text
    self.tables = tables
    self.sql = sql
  }
}
