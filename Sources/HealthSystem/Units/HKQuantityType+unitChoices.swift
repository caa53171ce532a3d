package import HealthKit

extension HKQuantityType {
  /// Common units for values of this type. The type also accepts every other compatible unit.
  package var unitChoices: [HKUnit] {
    let usual = Self.usualSymbols.compactMap { unit(named: $0) }
    var choices: [HKUnit] = []
    // The default unit is always offered.
    for unit in usual + [displayUnit, canonicalUnit] where !choices.contains(unit) { choices.append(unit) }
    return choices
  }

  private static let usualSymbols = [
    "kg", "g", "mg", "mcg", "lb", "oz", "st",
    "km", "m", "cm", "mm", "mi", "yd", "ft", "in",
    "L", "mL", "fl_oz_us", "fl_oz_imp", "cup_us", "cup_imp", "pt_us", "pt_imp",
    "kJ", "kcal",
    "mmHg", "kPa", "cmAq",
    "hr", "min", "s", "ms",
    "degC", "degF",
    "count/min", "count/s",
    "km/hr", "m/s", "mi/hr",
    "mg/dL", "mmol<180.15588000005408>/L",
    "mL/min·kg", "kcal/hr·kg",
  ]
}
