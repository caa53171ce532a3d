package import HealthKit

/// What a type is called on the command line and on the page: HealthKit's identifier without its common
/// beginning, with a small first letter (`heartRate`, `activeEnergyBurned`, `heartbeatSeries`).
package enum TypeName {
  /// - Parameter name: The short one, or HealthKit's identifier.
  /// - Returns: `nil` for a type that this version does not know.
  package static func sampleType(_ name: String) -> HKSampleType? {
    HKSampleType.known.first { $0.identifier == name || short($0) == name }
  }

  /// The same for what is no sample too, such as a characteristic.
  package static func objectType(_ name: String) -> HKObjectType? {
    HKObjectType.everyKnown.first { $0.identifier == name || short($0) == name }
  }

  package static func short(_ type: HKObjectType) -> String { short(ofIdentifier: type.identifier) }

  private static let beginnings = [
    "HKCharacteristicTypeIdentifier", "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier",
    "HKCorrelationTypeIdentifier",
    "HKDocumentTypeIdentifier", "HKClinicalTypeIdentifier", "HKScoredAssessmentTypeIdentifier",
    "HKDataTypeIdentifier", "HKDataType", "HK",
  ]

  package static func short(ofIdentifier identifier: String) -> String {
    let end = "TypeIdentifier"
    for beginning in beginnings where identifier.hasPrefix(beginning) {
      let name = identifier.dropFirst(beginning.count)
      return decapitalised(name.hasSuffix(end) ? name.dropLast(end.count) : name)
    }
    return identifier
  }

  /// A leading run of capitals is one word: `UVExposure` is `uvExposure`, `VO2Max` is `vo2Max`.
  private static func decapitalised(_ name: Substring) -> String {
    let capitals = name.prefix { $0.isUppercase }
    let next = name.dropFirst(capitals.count).first
    let word = capitals.count > 1 && next?.isLetter == true ? capitals.dropLast() : capitals
    return word.lowercased() + name.dropFirst(word.count)
  }
}
