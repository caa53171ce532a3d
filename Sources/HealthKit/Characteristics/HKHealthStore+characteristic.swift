import Foundation
import HealthStorage

extension HKHealthStore {
  /// What the user said, as one of the values of an enumeration; nil if they did not, or may not be asked.
  func characteristic<Value: RawRepresentable<Int>>(
    _ type: HKCharacteristicTypeIdentifier, as values: Value.Type
  ) throws -> Value? {
    try rawCharacteristic(type).flatMap { Value(rawValue: Int($0)) }
  }

  /// - Throws: errorNoData if the user did not say when they were born, or may not be asked.
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
