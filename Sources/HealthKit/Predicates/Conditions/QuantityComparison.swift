import Foundation
import HealthStorage

/// How a quantity must lie to another. One that does not convert into the other's unit, or is no number, does not.
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
    Self.order((quantity.value, quantity.unit.unitString), (value, unit)).map(comparison.holds) ?? false
  }

  /// Of one unit the numbers are compared, of two the sizes, as `HKQuantity` does. nil where nothing compares.
  static func order(
    _ one: Interpretation.Quantity, _ other: Interpretation.Quantity
  ) -> ComparisonResult? {
    guard !one.value.isNaN, !other.value.isNaN else { return nil }
    guard one.unit != other.unit else { return one.value.order(to: other.value) }
    guard let unit = try? HKUnit.validated(from: one.unit),
      let otherUnit = try? HKUnit.validated(from: other.unit)
    else { return nil }
    return try? HKQuantity(unit: unit, doubleValue: one.value)
      .validatedCompare(HKQuantity(unit: otherUnit, doubleValue: other.value))
  }
}

extension Comparable {
  /// Of values that are ordered; not of one that is no number.
  func order(to other: Self) -> ComparisonResult {
    self < other ? .orderedAscending : self > other ? .orderedDescending : .orderedSame
  }
}
