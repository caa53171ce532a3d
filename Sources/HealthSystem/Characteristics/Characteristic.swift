package import HealthKit

/// What the user may say of themselves. The raw value is its name on the command line.
package enum Characteristic: String, CaseIterable, Sendable {
  case activityMoveMode
  case biologicalSex
  case bloodType
  case dateOfBirth
  case fitzpatrickSkinType
  case wheelchairUse

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

  /// The values by the names of their cases; nil for the day.
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

  /// 0 is left out: it says that nothing is set.
  private static func names<Value: RawRepresentable<Int>>(_ type: Value.Type) -> [(String, Int)] {
    (1...16).compactMap { number in type.init(rawValue: number).map { ("\($0)", number) } }
  }

  /// As it is set; nil if it is not.
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
