package import HealthKit

/// The name of a type on the command line and on the page. It is HealthKit's identifier without its common
/// prefix, with a lowercase first letter, such as `heartRate`, `activeEnergyBurned` or `heartbeatSeries`.
package enum TypeName {
  /// Returns the sample type with a name, or `nil` if this version does not know it.
  /// - Parameter name: The short name or HealthKit's identifier.
  package static func sampleType(_ name: String) -> HKSampleType? {
    HKSampleType.known.first { $0.identifier == name || short($0) == name }
  }

  /// Returns the object type with a name, including types without samples such as characteristics.
  package static func objectType(_ name: String) -> HKObjectType? {
    HKObjectType.everyKnown.first { $0.identifier == name || short($0) == name }
  }

  /// Returns the short name of a type.
  package static func short(_ type: HKObjectType) -> String { short(ofIdentifier: type.identifier) }

  private static let beginnings = [
    "HKCharacteristicTypeIdentifier", "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier",
    "HKCorrelationTypeIdentifier",
    "HKDocumentTypeIdentifier", "HKClinicalTypeIdentifier", "HKScoredAssessmentTypeIdentifier",
    "HKDataTypeIdentifier", "HKDataType", "HK",
  ]

  /// Returns the short name for an identifier. An identifier without a known prefix is returned unchanged.
  package static func short(ofIdentifier identifier: String) -> String {
    let end = "TypeIdentifier"
    for beginning in beginnings where identifier.hasPrefix(beginning) {
      let name = identifier.dropFirst(beginning.count)
      return decapitalised(name.hasSuffix(end) ? name.dropLast(end.count) : name)
    }
    return identifier
  }

  /// Returns a name with its first word in lowercase. Consecutive capitals are one word: `UVExposure` becomes
  /// `uvExposure`, and `VO2Max` becomes `vo2Max`.
  private static func decapitalised(_ name: Substring) -> String {
    let capitals = name.prefix { $0.isUppercase }
    let next = name.dropFirst(capitals.count).first
    let word = capitals.count > 1 && next?.isLetter == true ? capitals.dropLast() : capitals
    return word.lowercased() + name.dropFirst(word.count)
  }
}
