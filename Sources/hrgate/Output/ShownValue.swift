import HealthKit

/// Converts values for display with their unit.
enum ShownValue {
  /// Percentages are from 0 to 100. HealthKit and `--json` have fractions from 0 to 1.
  static func of(_ value: Double, _ unit: String) -> Double {
    guard unit == HKUnit.percent().unitString else { return value }
    // Remove rounding errors of the multiplication.
    return (value * 1e11).rounded() / 1e9
  }
}
