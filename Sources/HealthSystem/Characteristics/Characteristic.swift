package import HealthKit
import HealthStorage

/// A characteristic that the user can enter. The raw value is its name on the command line.
package enum Characteristic: String, CaseIterable, Sendable {
  case activityMoveMode
  case biologicalSex
  case bloodType
  case dateOfBirth
  case fitzpatrickSkinType
  case wheelchairUse

  /// HealthKit's identifier of the characteristic.
  package var identifier: HKCharacteristicTypeIdentifier {
    switch self {
    case .activityMoveMode: .activityMoveMode
    case .biologicalSex: .biologicalSex
    case .bloodType: .bloodType
    case .dateOfBirth: .dateOfBirth
    case .fitzpatrickSkinType: .fitzpatrickSkinType
    case .wheelchairUse: .wheelchairUse
    }
  }

  /// The values the user can choose from, each with its enumeration case name. Nil for the date of birth,
  /// which has no fixed values.
  package var values: [(name: String, rawValue: Int)]? {
    switch self {
    case .dateOfBirth: nil
    case .activityMoveMode: Self.names(HKActivityMoveMode.self)
    case .biologicalSex: Self.names(HKBiologicalSex.self)
    case .bloodType: Self.names(HKBloodType.self)
    case .fitzpatrickSkinType: Self.names(HKFitzpatrickSkinType.self)
    case .wheelchairUse: Self.names(HKWheelchairUse.self)
    }
  }

  /// Returns the cases of an enumeration, except for 0, which means "not set".
  private static func names<Value: RawRepresentable<Int>>(_ type: Value.Type) -> [(String, Int)] {
    (1...16).compactMap { number in type.init(rawValue: number).map { ("\($0)", number) } }
  }

  /// Returns the user's value as text, or nil if it is not set.
  package func text(in store: HKHealthStore) throws -> String? {
    let rawValue: Int
    switch self {
    case .activityMoveMode: rawValue = try store.activityMoveMode().activityMoveMode.rawValue
    case .biologicalSex: rawValue = try store.biologicalSex().biologicalSex.rawValue
    case .bloodType: rawValue = try store.bloodType().bloodType.rawValue
    case .dateOfBirth: return try dayOfBirth(in: store)
    case .fitzpatrickSkinType: rawValue = try store.fitzpatrickSkinType().skinType.rawValue
    case .wheelchairUse: rawValue = try store.wheelchairUse().wheelchairUse.rawValue
    }
    return values?.first { $0.rawValue == rawValue }?.name
  }

  private func dayOfBirth(in store: HKHealthStore) throws -> String? {
    do {
      let birth = try store.dateOfBirthComponents()
      guard let year = birth.year, let month = birth.month, let day = birth.day else { return nil }
      return ActivityDay(year: year, month: month, day: day)?.text
    } catch HKError.errorNoData {
      return nil
    }
  }
}

extension SystemStore {
  /// Sets or deletes a characteristic of the user.
  /// - Parameter value: The raw value, or nil to delete it.
  package func setCharacteristic(_ type: HKCharacteristicTypeIdentifier, to value: Int?) async throws {
    try await HKError.translating {
      try await database.setCharacteristic(type.rawValue, to: value.map(Int64.init))
    }
  }

  /// Sets the date of birth, or deletes it if the day is nil.
  package func setDateOfBirth(_ day: ActivityDay?) async throws {
    try await setCharacteristic(.dateOfBirth, to: day.map { Int($0.number) })
  }
}

extension ActivityDay {
  /// Creates a day from a text such as `1990-05-17`, or returns nil if the text is not a valid day.
  package init?(text: String) {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.map(\.utf8.count) == [4, 2, 2],
      text.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }),
      let year = Int(fields[0]), let month = Int(fields[1]), let day = Int(fields[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The day as a text such as `1990-05-17`.
  package var text: String {
    [(year, 4), (month, 2), (day, 2)].map { number, width in
      let digits = String(number)
      return String(repeating: "0", count: width - digits.utf8.count) + digits
    }.joined(separator: "-")
  }
}
