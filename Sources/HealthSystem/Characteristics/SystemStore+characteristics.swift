package import HealthKit
import HealthStorage

extension SystemStore {
  /// Keeps what the user says of themselves.
  /// - Parameter value: nil for nothing any more.
  package func setCharacteristic(_ type: HKCharacteristicTypeIdentifier, to value: Int?) async throws {
    try await HKError.translating {
      try await database.setCharacteristic(type.rawValue, to: value.map(Int64.init))
    }
  }

  package func setDateOfBirth(_ day: ActivityDay?) async throws {
    try await setCharacteristic(.dateOfBirth, to: day.map { Int($0.number) })
  }
}
