import GRDB

/// The tables in which samples are: rows, blocks if there are any, and for queries that ask for it the heartbeat
/// series in progress, which are not in the change log. Valid only within the access that it was made in.
struct SampleTables {
  enum Table {
    case rows, blocks, openSeries

    /// For FROM: under the name that conditions know.
    var sql: String {
      switch self {
      case .rows: "sample"
      case .blocks: "\(PackedSampleModule.name) AS sample"
      case .openSeries: "\(OpenSeries.samples) AS sample"
      }
    }

    /// The same, by the place in the change log: the index of types would lead through every sample of a
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
    let blocks = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM block) OR EXISTS (SELECT 1 FROM batch)")
    var tables = try Bool.fetchOne(blocks) == true ? [Table.rows, .blocks] : [.rows]
    if openSeries {
      let open = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM open_series)")
      if try Bool.fetchOne(open) == true { tables.append(.openSeries) }
    }
    all = tables
  }

  init(_ tables: [Table]) { all = tables }

  var haveBlocks: Bool { all.contains(.blocks) }

  /// The same without blocks.
  var withoutBlocks: SampleTables { SampleTables(all.filter { $0 != .blocks }) }

  /// A query of each table, one after another, or merged where an order follows: what that names has to be
  /// among the columns.
  /// - Parameter select: the query of a table, without an order.
  func union(_ arguments: StatementArguments = [], _ select: (Table) -> String) -> SQLCondition {
    SQLCondition(
      sql: all.map(select).joined(separator: "\nUNION ALL\n"),
      arguments: all.dropFirst().reduce(into: arguments) { union, _ in union += arguments })
  }
}
