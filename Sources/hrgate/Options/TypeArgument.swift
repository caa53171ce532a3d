import ArgumentParser
import HealthKit
import HealthSystem

/// A sample type argument: HealthKit's identifier, or its short form (`heartRate`, `activeEnergyBurned`,
/// `heartbeatSeries`).
struct TypeArgument: CheckedArgument {
  var type: HKSampleType

  init(_ type: HKSampleType) { self.type = type }

  init?(argument: String) {
    guard let known = TypeName.sampleType(argument) else { return nil }
    type = known
  }

  static func rule(for argument: String) -> String {
    SuggestedType.text(argument, among: all)
  }

  /// Returns the type if it is a quantity type.
  func quantityType() throws -> HKQuantityType {
    guard let quantityType = type as? HKQuantityType else {
      throw ValidationError(
        "\(Self.shortName(type)) is not measured in numbers; give a type such as heartRate or stepCount.")
    }
    return quantityType
  }

  static let all: [HKSampleType] = HKSampleType.known

  static func shortName(_ type: HKObjectType) -> String { TypeName.short(type) }

  static func shortName(ofIdentifier identifier: String) -> String {
    TypeName.short(ofIdentifier: identifier)
  }
}

extension TypeArgument: CustomStringConvertible {
  var description: String { Self.shortName(type) }
}

/// Suggestions for a type name that does not exist.
enum SuggestedType {
  static func text(_ name: String, among types: [HKObjectType]) -> String {
    let isWhole = name.hasPrefix("HK")
    let names = types.map { isWhole ? $0.identifier : TypeName.short($0) }
    let meant = everyday[name.lowercased()].flatMap { names.contains($0) ? $0 : nil }
    if let near = meant ?? NearestName.of(name, among: names) {
      return "there is no such type; did you mean \(near)?"
    }
    let longer = name.count < 4 ? [] : names.filter { $0.lowercased().contains(name.lowercased()) }
    return "there is no such type"
      + (longer.isEmpty
        ? "; list the stored types with: hrgate sources"
        : "; did you mean one of \(longer.prefix(6).joined(separator: ", "))?")
  }

  /// Everyday words that do not resemble HealthKit's names.
  private static let everyday = [
    "weight": "bodyMass", "steps": "stepCount", "pulse": "heartRate", "sleep": "sleepAnalysis",
    "temperature": "bodyTemperature", "spo2": "oxygenSaturation", "bmi": "bodyMassIndex",
    "waist": "waistCircumference", "water": "dietaryWater", "period": "menstrualFlow",
  ]
}
