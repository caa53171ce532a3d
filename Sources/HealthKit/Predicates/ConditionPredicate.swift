import Foundation

/// What the factories return for objects that are no samples. Everything that `FilterPredicate` overrides is
/// overridden here, for the same reasons.
final class ConditionPredicate<Condition: ConditionOnSubject>: NSPredicate {
  let condition: ConditionTree<Condition>

  init(_ condition: ConditionTree<Condition>) {
    self.condition = condition
    super.init(value: true)
  }

  convenience init(_ condition: Condition) {
    self.init(.one(condition))
  }

  override func evaluate(with object: Any?) -> Bool {
    (object as? Condition.Subject).map(condition.holds) ?? false
  }

  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
    evaluate(with: object)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool {
    (object as? ConditionPredicate<Condition>)?.condition == condition
  }
  override var hash: Int { condition.hashValue }
}
