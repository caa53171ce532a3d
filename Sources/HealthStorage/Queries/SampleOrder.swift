/// A sort key for samples.
package enum SampleOrder: Hashable, Sendable {
  case start(ascending: Bool)
  case end(ascending: Bool)
  case insertion(ascending: Bool)

  /// The column name of `ifnull(end, start)` in sorted queries; SQL sorts a union only by column names.
  static let endColumn = "last_moment"

  var sql: String {
    switch self {
    case .start(let ascending): "start \(ascending ? "ASC" : "DESC")"
    case .end(let ascending): "\(Self.endColumn) \(ascending ? "ASC" : "DESC")"
    case .insertion(let ascending): "id \(ascending ? "ASC" : "DESC")"
    }
  }

  /// Makes a total order from these keys: equal samples are in insertion order.
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
