import GRDB

/// The tables with samples: rows, segments if the store has any, and for queries that need them the heartbeat
/// series in progress, which are not in the change log. Valid only within the access that it was made in.
struct SampleTables {
  enum Table {
    case rows, blocks, openSeries

    /// For FROM, with the name that conditions use.
    var sql: String {
      switch self {
      case .rows: "sample"
      case .blocks: "\(PackedSampleModule.name) AS sample"
      case .openSeries: "\(OpenSeries.samples) AS sample"
      }
    }

    /// For FROM in queries by position in the change log. The index of types would read every sample of a
    /// type.
    var byChange: String {
      switch self {
      case .rows: "sample NOT INDEXED"
      case .blocks, .openSeries: sql
      }
    }
  }

  let all: [Table]

  /// - Parameter openSeries: whether series in progress count as samples.
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

  /// The same tables without segments.
  var withoutBlocks: SampleTables { SampleTables(all.filter { $0 != .blocks }) }

  /// Returns the union of a query of each table. An ORDER BY can follow if its terms are among the columns.
  /// - Parameter select: Returns the query of a table, without an order.
  func union(_ arguments: StatementArguments = [], _ select: (Table) -> String) -> SQLCondition {
    SQLCondition(
      sql: all.map(select).joined(separator: "\nUNION ALL\n"),
      arguments: all.dropFirst().reduce(into: arguments) { union, _ in union += arguments })
  }
}
