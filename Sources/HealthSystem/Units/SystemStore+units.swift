package import HealthKit
import HealthStorage

extension SystemStore {
  /// Returns the units that the user chose. Omits types and units that this version does not know.
  package func chosenUnits() async throws -> [HKQuantityType: HKUnit] {
    let chosen = try await HKError.translating { try await database.preferredUnits() }
    let pairs = chosen.compactMap { identifier, symbol in
      HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: identifier))
        .flatMap { type in type.unit(named: symbol).map { (type, $0) } }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Returns the default units for values that the user enters. For each type, this is the unit that the user
  /// chose. Without a choice, it is the usual unit in the user's country if the form shows the unit, and
  /// the type's display unit otherwise.
  ///
  /// A command without a unit must not depend on the locale: it would store different values in a script than
  /// in a terminal.
  /// - Parameter isShown: Whether the user sees the unit while entering the value.
  package func entryUnits(isShown: Bool) async throws -> @Sendable (HKQuantityType) -> HKUnit {
    let types = Set(HKSampleType.known.compactMap { $0 as? HKQuantityType })
    let units = try await isShown ? healthStore.preferredUnits(for: types) : chosenUnits()
    return { units[$0] ?? $0.displayUnit }
  }

  /// Sets the unit in which values of a type are shown.
  /// - Parameter unit: The unit, or nil for the usual unit in the user's country.
  /// - Throws: errorInvalidArgument if the type cannot be expressed in the unit.
  package func setPreferredUnit(_ unit: HKUnit?, for type: HKQuantityType) async throws {
    if let unit, !type.is(compatibleWith: unit) {
      throw HKError(.errorInvalidArgument, reason: "\(type) cannot be expressed in \(unit)")
    }
    try await HKError.translating {
      try await database.setPreferredUnit(of: type.identifier, to: unit?.unitString)
    }
  }
}

extension HKQuantityType {
  /// Common units for values of this type. The type also accepts every other compatible unit.
  package var unitChoices: [HKUnit] {
    let usual = Self.usualSymbols.compactMap { unit(named: $0) }
    var choices: [HKUnit] = []
    // Always offer the default units.
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
