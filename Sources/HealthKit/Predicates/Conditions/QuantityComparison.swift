import Foundation
import HealthFormats
import HealthStorage

/// A condition on a quantity. It does not hold for a quantity that does not convert into the unit or is not a
/// number. If there is no quantity, only `!=` holds.
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
  /// Of values that are ordered; not of one that is no number.
  func order(to other: Self) -> ComparisonResult {
    self < other ? .orderedAscending : self > other ? .orderedDescending : .orderedSame
  }
}
