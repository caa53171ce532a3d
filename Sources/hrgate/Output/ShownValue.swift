import HealthKit

/// A number as people read it beside its unit.
enum ShownValue {
  /// Per cent are of a hundred: HealthKit has the share of one, as programs get it with `--json`.
  static func of(_ value: Double, _ unit: String) -> Double {
    guard unit == HKUnit.percent().unitString else { return value }
    // A product of decimals may have a digit too many.
    return (value * 1e11).rounded() / 1e9
  }
}
