/// In which order samples come.
package enum SampleOrder: Hashable, Sendable {
  case start(ascending: Bool)
  case end(ascending: Bool)
  case insertion(ascending: Bool)

  /// What `ifnull(end, start)` is called among the columns of a query that is sorted: SQL merges two queries
  /// by names of columns only.
  static let endColumn = "last_moment"

  var sql: String {
    switch self {
    case .start(let ascending): "start \(ascending ? "ASC" : "DESC")"
    case .end(let ascending): "\(Self.endColumn) \(ascending ? "ASC" : "DESC")"
    case .insertion(let ascending): "id \(ascending ? "ASC" : "DESC")"
    }
  }

  /// An order by these keys that is always total: what they leave equal comes as it was stored.
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
