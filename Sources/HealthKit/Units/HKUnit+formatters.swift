public import Foundation

extension HKInitializable where Self: HKUnit {
  /// Creates the unit that corresponds to a unit of Foundation's `MassFormatter`.
  public init(from massFormatterUnit: MassFormatter.Unit) {
    self.init(instance: HKUnit.mass(massFormatterUnit))
  }

  /// Creates the unit that corresponds to a unit of Foundation's `LengthFormatter`.
  public init(from lengthFormatterUnit: LengthFormatter.Unit) {
    self.init(instance: HKUnit.length(lengthFormatterUnit))
  }

  /// Creates the unit that corresponds to a unit of Foundation's `EnergyFormatter`.
  public init(from energyFormatterUnit: EnergyFormatter.Unit) {
    self.init(instance: HKUnit.energy(energyFormatterUnit))
  }
}

extension HKUnit {
  /// Returns the corresponding unit of `MassFormatter`. Traps if there is no such unit;
  /// `massFormatterUnit(validating:)` throws instead.
  public class func massFormatterUnit(from unit: HKUnit) -> MassFormatter.Unit {
    requiring(try massFormatterUnit(validating: unit))
  }

  /// Returns the corresponding unit of `LengthFormatter`. Traps if there is no such unit;
  /// `lengthFormatterUnit(validating:)` throws instead.
  public class func lengthFormatterUnit(from unit: HKUnit) -> LengthFormatter.Unit {
    requiring(try lengthFormatterUnit(validating: unit))
  }

  /// Returns the corresponding unit of `EnergyFormatter`. Traps if there is no such unit;
  /// `energyFormatterUnit(validating:)` throws instead.
  public class func energyFormatterUnit(from unit: HKUnit) -> EnergyFormatter.Unit {
    requiring(try energyFormatterUnit(validating: unit))
  }

  /// Returns the corresponding unit of `MassFormatter`.
  ///
  /// ```swift
  /// let unit = try HKUnit.massFormatterUnit(validating: try HKUnit.validated(from: "kg"))
  /// ```
  ///
  /// - Throws: `HKValidationError` if there is no such unit.
  public class func massFormatterUnit(
    validating unit: HKUnit
  ) throws(HKValidationError) -> MassFormatter.Unit {
    try match(unit, among: [.gram, .kilogram, .ounce, .pound, .stone], "mass", mass)
  }

  /// Returns the corresponding unit of `LengthFormatter`.
  /// - Throws: `HKValidationError` if there is no such unit.
  public class func lengthFormatterUnit(
    validating unit: HKUnit
  ) throws(HKValidationError) -> LengthFormatter.Unit {
    try match(
      unit, among: [.millimeter, .centimeter, .meter, .kilometer, .inch, .foot, .yard, .mile], "length",
      length)
  }

  /// Returns the corresponding unit of `EnergyFormatter`. For the food calorie, `Cal`, it is the kilocalorie.
  /// - Throws: `HKValidationError` if there is no such unit.
  public class func energyFormatterUnit(
    validating unit: HKUnit
  ) throws(HKValidationError) -> EnergyFormatter.Unit {
    if unit == .largeCalorie() { return .kilocalorie }
    return try match(unit, among: [.joule, .kilojoule, .calorie, .kilocalorie], "energy", energy)
  }

  private static func match<Unit>(
    _ unit: HKUnit, among candidates: [Unit], _ formatter: String, _ meaning: (Unit) -> HKUnit
  ) throws(HKValidationError) -> Unit {
    for candidate in candidates where meaning(candidate) == unit { return candidate }
    throw HKValidationError(.invalidArgument, "\(unit) is not a unit of a \(formatter) formatter")
  }

  fileprivate static func mass(_ unit: MassFormatter.Unit) -> HKUnit {
    switch unit {
    case .gram: .gram()
    case .kilogram: .gramUnit(with: .kilo)
    case .ounce: .ounce()
    case .pound: .pound()
    case .stone: .stone()
    @unknown default: .gram()
    }
  }

  fileprivate static func length(_ unit: LengthFormatter.Unit) -> HKUnit {
    switch unit {
    case .millimeter: .meterUnit(with: .milli)
    case .centimeter: .meterUnit(with: .centi)
    case .meter: .meter()
    case .kilometer: .meterUnit(with: .kilo)
    case .inch: .inch()
    case .foot: .foot()
    case .yard: .yard()
    case .mile: .mile()
    @unknown default: .meter()
    }
  }

  fileprivate static func energy(_ unit: EnergyFormatter.Unit) -> HKUnit {
    switch unit {
    case .joule: .joule()
    case .kilojoule: .jouleUnit(with: .kilo)
    case .calorie: .smallCalorie()
    case .kilocalorie: .kilocalorie()
    @unknown default: .joule()
    }
  }
}
