import Foundation
import HealthStorage
import UnitAlgebra

/// How a quantity must compare with another. One that does not convert into its unit, or is not a number,
/// does not.
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

  func holds(_ quantity: HKQuantity) -> Bool {
    quantity.written.order(to: WrittenQuantity(value, unit)).map(comparison.holds) ?? false
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
