public import Foundation
import HealthStorage

extension NSNotification.Name {
  /// The user chose another unit. The object is the store that was asked for preferred units. In the process
  /// that made the choice it comes at once, in others that have asked within a moment.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let HKUserPreferencesDidChange = NSNotification.Name("HKUserPreferencesDidChangeNotification")
}

extension HKHealthStore {
  func unitsPreferred(for types: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
    let chosen = try await HKError.translating { try await chosenUnits(of: types) }
    preferences.follow(self)
    let pairs = types.map { type in
      let unit = chosen[type.identifier].flatMap { type.unit(named: $0) }
      return (type, unit ?? UsualUnit.of(type, in: .current))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Of those types that the program may save or read.
  /// - Throws: `StorageFailure.undecided` if it has not asked about one of them.
  private func chosenUnits(of types: Set<HKQuantityType>) async throws -> [String: String] {
    let decisions = try await decisions(on: types)
    let chosen = try await admit(.authorization).preferredUnits()
    guard let decisions else { return chosen }
    guard decisions.values.allSatisfy({ $0.share != nil || $0.read != nil }) else {
      throw StorageFailure.undecided
    }
    return chosen.filter { type, _ in decisions[type].map { $0.share == true || $0.read == true } ?? false }
  }
}

extension HKQuantityType {
  /// nil for a symbol that this version does not know, and for one in which the type cannot be expressed.
  package func unit(named symbol: String) -> HKUnit? {
    (try? HKUnit.validated(from: symbol)).flatMap { self.is(compatibleWith: $0) ? $0 : nil }
  }
}
