public import Foundation

// An initialiser of a class cannot answer with a predicate of a subclass; one in an extension of a protocol
// can.
extension NSPredicate: HKInitializable {}

extension HKInitializable where Self: NSPredicate {
  /// A predicate on HealthKit's objects, written with Apple's key paths (`HKPredicateKeyPathStartDate` and
  /// its like), comparisons, `IN`, `BETWEEN`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE`, `AND`, `OR` and
  /// `NOT`.
  ///
  /// Foundation on Linux has no key-value coding and forbids its own initialisers of this form; where
  /// HealthKit is imported these are called. `!=` also finds objects that have no such value. What is not
  /// understood a query answers with errorInvalidArgument and the reason; evaluating it traps.
  /// - Parameter arguments: for `%@`, `%K`, `%d` and so on; for `%@` any value, also a set or an array.
  public init(format predicateFormat: String, _ arguments: Any?...) {
    self.init(format: predicateFormat, of: arguments)
  }

  /// As `init(format:_:)`.
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
