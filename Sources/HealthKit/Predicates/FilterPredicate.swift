import Foundation
import HealthStorage

/// What the factories of `HKQuery` return: an `NSPredicate` around the store's own value predicate.
///
/// Foundation on Linux has no key-path predicates, so this carries its meaning itself. A compound predicate
/// asks through the second form of `evaluate`; the base class's equality and copies know nothing of
/// subclasses: all of that is overridden.
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
