package import HealthKit

/// A characteristic of the user, such as the blood type, as stated in an export.
package struct StatedCharacteristic: Hashable, Sendable {
  package let type: HKCharacteristicTypeIdentifier
  /// The raw value of the characteristic's enumeration. For the date of birth, a day number, as in
  /// `ActivityDay(number:)`.
  package let value: Int

  /// Creates a characteristic from an attribute.
  ///
  /// - Returns: `nil` if it is unknown or not set.
  init?(name: String, value text: String) {
    guard let type = Self.types.first(where: { $0.rawValue == name }) else { return nil }
    self.type = type
    if type == .dateOfBirth {
      let fields = text.split(separator: "-").map { Int($0) ?? 0 }
      guard fields.count == 3, let day = ActivityDay(year: fields[0], month: fields[1], day: fields[2]) else {
        return nil
      }
      value = Int(day.number)
    } else {
      guard let number = EnumerationValues.value(ofConstant: text), number > 0 else { return nil }
      value = number
    }
  }

  init(_ type: HKCharacteristicTypeIdentifier, _ value: Int) {
    self.type = type
    self.value = value
  }

  /// The value as the text of an XML attribute.
  var text: String {
    if type == .dateOfBirth {
      guard let day = ActivityDay(number: Int64(value)) else { return "" }
      return
        "\(ExportTime.digits(day.year, 4))-\(ExportTime.digits(day.month, 2))-\(ExportTime.digits(day.day, 2))"
    }
    return EnumerationValues.constant(for: value, of: Self.enumeration(of: type)) ?? ""
  }

  /// The characteristics that Apple's document type declares.
  static let types: [HKCharacteristicTypeIdentifier] = [
    .dateOfBirth, .biologicalSex, .bloodType, .fitzpatrickSkinType,
  ]

  /// Returns the name of a type's enumeration: `HKBloodType` for `HKCharacteristicTypeIdentifierBloodType`.
  static func enumeration(of type: HKCharacteristicTypeIdentifier) -> String {
    "HK" + type.rawValue.dropFirst("HKCharacteristicTypeIdentifier".count)
  }
}

extension StatedCharacteristic {
  /// Returns the characteristics that are set in a store.
  ///
  /// - Throws: `HKError` if the store cannot be read.
  package static func all(in store: HKHealthStore) throws -> [StatedCharacteristic] {
    var stated = [
      StatedCharacteristic(.biologicalSex, try store.biologicalSex().biologicalSex.rawValue),
      StatedCharacteristic(.bloodType, try store.bloodType().bloodType.rawValue),
      StatedCharacteristic(.fitzpatrickSkinType, try store.fitzpatrickSkinType().skinType.rawValue),
    ]
    do {
      let birth = try store.dateOfBirthComponents()
      if let year = birth.year, let month = birth.month, let day = birth.day,
        let day = ActivityDay(year: year, month: month, day: day)
      {
        stated.append(StatedCharacteristic(.dateOfBirth, Int(day.number)))
      }
    } catch HKError.errorNoData {
      // The characteristic is not set.
    }
    return stated.filter { $0.value > 0 }
  }
}
