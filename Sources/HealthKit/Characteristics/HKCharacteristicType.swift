import Foundation
import HealthStorage

/// The type of a personal characteristic that does not change from day to day, such as the blood type. Only
/// the user can enter it.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKCharacteristicType: HKObjectType, @unchecked Sendable {}

extension HKInitializable where Self: HKCharacteristicType {
  /// Returns the type with an identifier. Traps if the identifier is unknown;
  /// `characteristicType(forIdentifier:)` returns nil instead.
  public init(_ identifier: HKCharacteristicTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKCharacteristicType.self))
  }
}

extension HKHealthStore {
  /// Returns the value of a characteristic that the user entered. Returns nil if it is not set or the program
  /// may not read it.
  func characteristic<Value: RawRepresentable<Int>>(
    _ type: HKCharacteristicTypeIdentifier, as values: Value.Type
  ) throws -> Value? {
    try rawCharacteristic(type).flatMap { Value(rawValue: Int($0)) }
  }

  /// Returns the user's date of birth.
  /// - Throws: errorNoData if it is not set or the program may not read it.
  func birthday() throws -> ActivityDay {
    guard let day = try rawCharacteristic(.dateOfBirth).flatMap(ActivityDay.init(number:)) else {
      throw HKError(.errorNoData, reason: "No data available: the date of birth is not set.")
    }
    return day
  }

  private func rawCharacteristic(_ identifier: HKCharacteristicTypeIdentifier) throws -> Int64? {
    try HKError.translating {
      let type = HKCharacteristicType(identifier)
      return try admit(.read([type])).characteristic(type.identifier)
    }
  }
}

extension ActivityDay {
  /// The day as a number whose digits are the date, so that numbers sort like days: 17 May 1980 is 19800517.
  package var number: Int64 { Int64(year * 10_000 + month * 100 + day) }

  /// Creates a day from its number, or returns nil if the number is not a valid day.
  package init?(number: Int64) {
    guard (1_01_01...9999_12_31).contains(number) else { return nil }
    let number = Int(number)
    self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }
}
