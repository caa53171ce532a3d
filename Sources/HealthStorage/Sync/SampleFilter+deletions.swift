import GRDB

extension SampleFilter {
  /// A condition on `deleted_object`. Uses the properties that a deletion keeps of its sample (source,
  /// start); any other filter includes all deletions.
  var conditionOnDeletions: SQLCondition {
    switch self {
    case .sources(let identifiers):
      let list = SQLCondition.list(of: identifiers)
      return SQLCondition(
        sql: "source IN (SELECT id FROM source WHERE bundle_identifier IN \(list.sql))",
        arguments: list.arguments)
    case .startsFrom(let time):
      return SQLCondition(sql: "ifnull(start >= ?, 1)", arguments: [time])
    case .all(let parts): return .all(parts.map(\.conditionOnDeletions))
    default: return .always
    }
  }
}
