package import HealthKit
import HealthStorage

extension SystemStore {
  /// The units that the user chose. What this version does not know is left out.
  package func chosenUnits() async throws -> [HKQuantityType: HKUnit] {
    let chosen = try await HKError.translating { try await database.preferredUnits() }
    let pairs = chosen.compactMap { identifier, symbol in
      HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: identifier))
        .flatMap { type in type.unit(named: symbol).map { (type, $0) } }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The default units of values that the user enters: the chosen unit, else the usual unit in the user's
  /// country if the form shows it, else the type's own. A command that names no unit must not depend on the
  /// locale: in a script it would store other values than on a terminal.
  package func entryUnits(isShown: Bool) async throws -> @Sendable (HKQuantityType) -> HKUnit {
    let types = Set(HKSampleType.known.compactMap { $0 as? HKQuantityType })
    let units = try await isShown ? healthStore.preferredUnits(for: types) : chosenUnits()
    return { units[$0] ?? $0.displayUnit }
  }

  /// Chooses the unit in which values of a type are shown.
  /// - Parameter unit: nil for what is usual in the user's country.
  /// - Throws: errorInvalidArgument for a unit in which the type cannot be expressed.
  package func setPreferredUnit(_ unit: HKUnit?, for type: HKQuantityType) async throws {
    if let unit, !type.is(compatibleWith: unit) {
      throw HKError(.errorInvalidArgument, reason: "\(type) cannot be expressed in \(unit)")
    }
    try await HKError.translating {
      try await database.setPreferredUnit(of: type.identifier, to: unit?.unitString)
    }
  }
}
