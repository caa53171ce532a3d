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
