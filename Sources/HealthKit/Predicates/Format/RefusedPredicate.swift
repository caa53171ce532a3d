import Foundation

/// A predicate of a format that is not understood. A query with it fails with the reason; asked about an
/// object it traps, where Foundation raises an exception.
final class RefusedPredicate: NSPredicate {
  let error: HKError

  init(_ error: HKError) {
    self.error = error
    super.init(value: false)
  }

  override func evaluate(with object: Any?) -> Bool {
    HKValidationError(.invalidArgument, error.reason).raise()
  }

  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
    evaluate(with: object)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool { (object as? RefusedPredicate)?.error == error }
  override var hash: Int { error.reason.hashValue }
}
