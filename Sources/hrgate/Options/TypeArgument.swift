import ArgumentParser
import HealthKit

/// A sample type on the command line: HealthKit's identifier, or what is left of it without its common
/// beginning, with a small first letter (`heartRate`, `activeEnergyBurned`, `heartbeatSeries`).
struct TypeArgument: ExpressibleByArgument {
  var type: HKSampleType

  init(_ type: HKSampleType) { self.type = type }

  init?(argument: String) {
    let known = Self.all.first { $0.identifier == argument || Self.shortName($0) == argument }
    guard let known else { return nil }
    type = known
  }

  var defaultValueDescription: String { Self.shortName(type) }

  /// The type where it is one of quantities.
  func quantityType() throws -> HKQuantityType {
    guard let quantityType = type as? HKQuantityType else {
      throw ValidationError("\(Self.shortName(type)) is no type of quantities.")
    }
    return quantityType
  }

  static let all: [HKSampleType] = HKSampleType.known

  private static let beginnings = [
    "HKCharacteristicTypeIdentifier", "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier",
    "HKCorrelationTypeIdentifier",
    "HKDocumentTypeIdentifier", "HKClinicalTypeIdentifier", "HKScoredAssessmentTypeIdentifier",
    "HKDataTypeIdentifier", "HKDataType", "HK",
  ]

  static func shortName(_ type: HKObjectType) -> String { shortName(ofIdentifier: type.identifier) }

  static func shortName(ofIdentifier identifier: String) -> String {
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
