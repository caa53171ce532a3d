import GRDB

/// Where samples are: in rows, and in blocks where there are any. A store without blocks is asked as if there
/// could be none. Valid only within the access that it was made in.
struct SampleTables {
  enum Table {
    case rows, blocks

    /// For FROM: under the name that conditions know.
    var sql: String {
      switch self {
      case .rows: "sample"
      case .blocks: "\(PackedSampleModule.name) AS sample"
      }
    }

    /// The same, by the place in the change log: the index of types would lead through every sample of a
    /// type.
    var byChange: String {
      switch self {
      case .rows: "sample NOT INDEXED"
      case .blocks: sql
      }
    }
  }

  let all: [Table]

  init(in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM block) OR EXISTS (SELECT 1 FROM batch)")
    all = try Bool.fetchOne(statement) == true ? [.rows, .blocks] : [.rows]
  }

  init(_ tables: [Table]) { all = tables }

  var haveBlocks: Bool { all.count > 1 }

  /// A query of each table, one after another, or merged where an order follows: what that names has to be
  /// among the columns.
  /// - Parameter select: the query of a table, without an order.
  func union(_ arguments: StatementArguments = [], _ select: (Table) -> String) -> SQLCondition {
    SQLCondition(
      sql: all.map(select).joined(separator: "\nUNION ALL\n"),
      arguments: all.dropFirst().reduce(into: arguments) { union, _ in union += arguments })
  }
}
