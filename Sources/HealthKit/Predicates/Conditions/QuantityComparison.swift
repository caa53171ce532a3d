import Foundation
import HealthFormats
import HealthStorage

/// A condition that compares a quantity with another one.
///
/// It never matches NaN or a quantity in an incompatible unit. If there is no quantity, only `!=` matches.
struct QuantityComparison: Hashable, Codable, Sendable {
  private let comparison: ValueComparison
  private let value: Double
  private let unit: String

  init(_ comparison: ValueComparison, value: Double, unit: String) {
    self.comparison = comparison
    self.value = value
    self.unit = unit
  }

  init(_ comparison: ValueComparison, _ quantity: HKQuantity) {
    self.init(comparison, value: quantity.value, unit: quantity.unit.unitString)
  }

  func holds(_ quantity: HKQuantity?) -> Bool {
    guard let quantity else { return comparison == .notEqual }
    return quantity.written.order(to: WrittenQuantity(value, unit)).map(comparison.holds) ?? false
  }
}

extension HKQuantity {
  var written: WrittenQuantity { WrittenQuantity(value, unit.unitString) }
}

extension Comparable {
  /// Returns the order of two values. Neither may be NaN.
  func order(to other: Self) -> ComparisonResult {
    self < other ? .orderedAscending : self > other ? .orderedDescending : .orderedSame
  }
}

extension ValueComparison {
  /// Creates a comparison from Foundation's operator.
  /// - Throws: `HKValidationError` if the operator does not compare two values.
  @available(*, deprecated)
  init(_ operatorType: NSComparisonPredicate.Operator) throws(HKValidationError) {
    switch operatorType {
    case .lessThan: self = .less
    case .lessThanOrEqualTo: self = .lessOrEqual
    case .equalTo: self = .equal
    case .notEqualTo: self = .notEqual
    case .greaterThanOrEqualTo: self = .greaterOrEqual
    case .greaterThan: self = .greater
    default:
      throw HKValidationError(.invalidArgument, "a quantity can only be compared with <, <=, ==, !=, >= or >")
    }
  }

  func holds(_ order: ComparisonResult) -> Bool { holds(order.rawValue, 0) }
}
