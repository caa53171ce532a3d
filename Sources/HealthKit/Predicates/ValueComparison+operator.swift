import Foundation
import HealthStorage

extension ValueComparison {
  /// - Throws: for an operator that does not compare two values.
  @available(*, deprecated)
  init(_ operatorType: NSComparisonPredicate.Operator) throws(HKValidationError) {
    switch operatorType {
    case .lessThan: self = .less
    case .lessThanOrEqualTo: self = .lessOrEqual
    case .equalTo: self = .equal
    case .notEqualTo: self = .notEqual
    case .greaterThanOrEqualTo: self = .greaterOrEqual
    case .greaterThan: self = .greater
    default: throw HKValidationError(.invalidArgument, "the operator does not compare numbers")
    }
  }

  func holds(_ order: ComparisonResult) -> Bool { holds(order.rawValue, 0) }
}
