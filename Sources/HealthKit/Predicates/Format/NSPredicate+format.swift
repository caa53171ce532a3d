public import Foundation

// Lets the initializers below return an instance of a subclass.
extension NSPredicate: HKInitializable {}

extension HKInitializable where Self: NSPredicate {
  /// Creates a predicate from a format string with Apple's key paths, such as `HKPredicateKeyPathStartDate`.
  ///
  /// Supports comparisons, `IN`, `BETWEEN`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE`, `AND`, `OR` and
  /// `NOT`. `!=` also matches objects without a value. A query with an unsupported format string fails with
  /// errorInvalidArgument and the reason; evaluating the predicate traps.
  ///
  /// Foundation on Linux has no key-value coding and marks its own initializers of this form as unavailable.
  /// In files that import HealthKit, the compiler chooses these instead.
  /// - Parameter arguments: The arguments for `%@`, `%K`, `%d` and so on. `%@` accepts any value, including
  ///   sets and arrays.
  public init(format predicateFormat: String, _ arguments: Any?...) {
    self.init(format: predicateFormat, of: arguments)
  }

  /// Creates a predicate as `init(format:_:)` does, with the arguments in an array.
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(format: predicateFormat, of: arguments ?? [])
  }

  private init(format: String, of arguments: [Any?]) {
    let predicate: NSPredicate
    do {
      predicate = try FormatParser.predicate(format, arguments)
    } catch {
      predicate = RefusedPredicate(error)
    }
    self.init(instance: predicate)
  }
}

/// A predicate with an unsupported format string. A query with it fails with the reason. Evaluating it traps;
/// Foundation would raise an exception.
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
