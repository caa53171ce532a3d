import HealthStorage

// Filters joined with as little nesting as they can be, since SQL is parsed with a bounded stack. A program
// that adds one condition after another makes a deep predicate and a flat filter.

extension SampleFilter {
  static func joining(all parts: [SampleFilter]) -> SampleFilter {
    let parts = parts.flatMap { part in if case .all(let inner) = part { inner } else { [part] } }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  static func joining(any parts: [SampleFilter]) -> SampleFilter {
    let parts = parts.flatMap { part in if case .any(let inner) = part { inner } else { [part] } }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  /// What matches where this does not, with NOT only before single conditions.
  var opposite: SampleFilter {
    switch self {
    case .everything: .nothing
    case .nothing: .everything
    case .not(let part): part
    case .all(let parts): .joining(any: parts.map(\.opposite))
    case .any(let parts): .joining(all: parts.map(\.opposite))
    default: .not(self)
    }
  }

  /// How often a part stands in a part.
  var depth: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .not(let part), .holding(let part): 1 + part.depth
    default: 0
    }
  }
}
