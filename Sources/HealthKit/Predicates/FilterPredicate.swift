import Foundation
import HealthStorage

/// A predicate on samples, as returned by the functions of `HKQuery`. It contains a filter for the store.
///
/// Foundation on Linux has no key-path predicates, so this class evaluates the filter itself. It overrides
/// both forms of `evaluate`, because compound predicates call the one with variables. It overrides copying
/// and equality, because those of the base class ignore the filter.
final class FilterPredicate: NSPredicate {
  let filter: SampleFilter

  init(_ filter: SampleFilter) {
    self.filter = filter
    super.init(value: true)
  }

  override func evaluate(with object: Any?) -> Bool {
    (object as? HKSample).map(filter.matches) ?? false
  }

  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
    evaluate(with: object)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool { (object as? FilterPredicate)?.filter == filter }
  override var hash: Int { filter.hashValue }
}

/// A predicate on objects that are not samples, such as activity summaries. It overrides the same methods as
/// `FilterPredicate`, for the same reasons.
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
