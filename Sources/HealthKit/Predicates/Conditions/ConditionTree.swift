import Foundation

/// A single condition of a predicate on objects that are not samples, such as activity summaries.
protocol ConditionOnSubject: Hashable, Sendable {
  associatedtype Subject
  func holds(_ subject: Subject) -> Bool
}

/// Conditions that are combined with AND, OR and NOT, as in an `NSCompoundPredicate`.
indirect enum ConditionTree<Condition: ConditionOnSubject>: Hashable, Sendable {
  case one(Condition)
  case all([ConditionTree])
  case any([ConditionTree])
  case not(ConditionTree)

  func holds(_ subject: Condition.Subject) -> Bool {
    switch self {
    case .one(let condition): condition.holds(subject)
    case .all(let parts): parts.allSatisfy { $0.holds(subject) }
    case .any(let parts): parts.contains { $0.holds(subject) }
    case .not(let part): !part.holds(subject)
    }
  }
}

extension ConditionTree {
  /// Returns whether the closure returns true for any condition in the tree.
  func contains(where isSought: (Condition) -> Bool) -> Bool {
    switch self {
    case .one(let condition): isSought(condition)
    case .all(let parts), .any(let parts): parts.contains { $0.contains(where: isSought) }
    case .not(let part): part.contains(where: isSought)
    }
  }
}

extension ConditionTree: Codable where Condition: Codable {}

extension ConditionTree {
  /// Translates a predicate.
  /// - Throws: errorInvalidArgument if the predicate is not made of HealthKit's predicates for these objects.
  init(_ predicate: NSPredicate) throws(HKError) {
    self = try predicate.translated(
      constant: { $0 ? .all([]) : .any([]) },
      own: { ($0 as? ConditionPredicate<Condition>)?.condition },
      all: { .all($0) }, any: { .any($0) }, not: { .not($0) })
  }
}

extension ConditionTree {
  /// Translates a predicate. Returns success with nil if there is no predicate.
  static func of(_ predicate: NSPredicate?) -> Result<ConditionTree?, HKError> {
    guard let predicate else { return .success(nil) }
    return Result { () throws(HKError) in try ConditionTree(predicate) }.map { $0 }
  }
}
