import HealthKit

/// A number as people read it beside its unit.
enum ShownValue {
  /// Percentages are from 0 to 100. HealthKit and `--json` have fractions from 0 to 1.
  static func of(_ value: Double, _ unit: String) -> Double {
    guard unit == HKUnit.percent().unitString else { return value }
    // A product of decimals may have a digit too many.
    return (value * 1e11).rounded() / 1e9
  }
}
