/// A sort key for samples.
package enum SampleOrder: Hashable, Sendable {
  case start(ascending: Bool)
  case end(ascending: Bool)
  case insertion(ascending: Bool)

  /// The name of the column `ifnull(end, start)` in sorted queries. SQL can sort a union only by column
  /// names.
  static let endColumn = "last_moment"

  var sql: String {
    switch self {
    case .start(let ascending): "start \(ascending ? "ASC" : "DESC")"
    case .end(let ascending): "\(Self.endColumn) \(ascending ? "ASC" : "DESC")"
    case .insertion(let ascending): "id \(ascending ? "ASC" : "DESC")"
    }
  }

  /// Returns the ORDER BY terms. The last term is the order in which samples were stored, so that the order
  /// is fully defined.
  static func sql(_ keys: [SampleOrder]) -> String {
    let last = keys.last.map(\.isAscending) ?? true
    return (keys + [.insertion(ascending: last)]).map(\.sql).joined(separator: ", ")
  }

  private var isAscending: Bool {
    switch self {
    case .start(let ascending), .end(let ascending), .insertion(let ascending): ascending
    }
  }
}
