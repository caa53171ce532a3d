/// Days outside of which a predicate does not hold; nil is open.
struct ActivityBounds: Hashable, Sendable {
  var first: ActivityDay?
  var last: ActivityDay?

  /// Wide rather than exact: what lies within is compared with the predicate itself.
  init(_ tree: ConditionTree<ActivitySummaryCondition>?) {
    switch tree {
    case .one(let condition):
      (first, last) = (condition.first, condition.last)
    case .all(let parts):
      let bounds = parts.map { ActivityBounds($0) }
      (first, last) = (bounds.compactMap(\.first).max(), bounds.compactMap(\.last).min())
    case .any(let parts) where !parts.isEmpty:
      let bounds = parts.map { ActivityBounds($0) }
      let (firsts, lasts) = (bounds.compactMap(\.first), bounds.compactMap(\.last))
      (first, last) = (
        firsts.count == parts.count ? firsts.min() : nil, lasts.count == parts.count ? lasts.max() : nil
      )
    case .any, .not, nil:
      (first, last) = (nil, nil)
    }
  }
}
