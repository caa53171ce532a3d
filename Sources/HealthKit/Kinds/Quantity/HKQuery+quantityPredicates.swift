public import Foundation
import HealthStorage

extension HKQuery {
  /// Quantity samples whose quantity compares so with another. One that does not convert into the other's
  /// unit does not match; nothing matches one that is not a number.
  ///
  /// In one unit the numbers are compared, in two the sizes, as by `HKQuantity`. Traps on an operator that
  /// does not compare.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForQuantitySamples(
    with operatorType: NSComparisonPredicate.Operator, quantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .quantity(
        requiring(try ValueComparison(operatorType)), value: quantity.value, unit: quantity.unit.unitString))
  }
}
