import GRDB

/// The tables that contain samples: `sample`, `block` (compressed segments) if it is not empty, and, if
/// requested, `open_series` (heartbeat series that are being measured). Use it only inside the database
/// access in which it was created.
struct SampleTables {
  enum Table {
    case rows, blocks, openSeries

    /// The table for a FROM clause. Its alias is `sample`, the name that conditions use.
    var sql: String {
      switch self {
      case .rows: "sample"
      case .blocks: "\(PackedSampleModule.name) AS sample"
      case .openSeries: "\(OpenSeries.samples) AS sample"
      }
    }

    /// The table for the FROM clause of a query by change log position. With NOT INDEXED, because SQLite
    /// might otherwise use the index by type and read every sample of a type.
    var byChange: String {
      switch self {
      case .rows: "sample NOT INDEXED"
      case .blocks, .openSeries: sql
      }
    }
  }

  let all: [Table]

  /// - Parameter openSeries: Whether to include heartbeat series that are being measured.
  init(in database: Database, with openSeries: Bool = false) throws {
    let blocks = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM block)")
    var tables = try Bool.fetchOne(blocks) == true ? [Table.rows, .blocks] : [.rows]
    if openSeries {
      let open = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM open_series)")
      if try Bool.fetchOne(open) == true { tables.append(.openSeries) }
    }
    all = tables
  }

  init(_ tables: [Table]) { all = tables }

  var haveBlocks: Bool { all.contains(.blocks) }

  /// The same tables without compressed segments.
  var withoutBlocks: SampleTables { SampleTables(all.filter { $0 != .blocks }) }

  /// Returns the union of one query per table. The caller may append an ORDER BY on columns of the queries.
  /// - Parameter select: Returns the query for a table, without ORDER BY.
  func union(_ arguments: StatementArguments = [], _ select: (Table) -> String) -> SQLCondition {
    SQLCondition(
      sql: all.map(select).joined(separator: "\nUNION ALL\n"),
      arguments: all.dropFirst().reduce(into: arguments) { union, _ in union += arguments })
  }
}
