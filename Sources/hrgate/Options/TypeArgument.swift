import ArgumentParser
import HealthKit
import HealthSystem

/// A sample type on the command line: HealthKit's identifier, or what is left of it without its common
/// beginning, with a small first letter (`heartRate`, `activeEnergyBurned`, `heartbeatSeries`).
struct TypeArgument: ExpressibleByArgument {
  var type: HKSampleType

  init(_ type: HKSampleType) { self.type = type }

  init?(argument: String) {
    guard let known = TypeName.sampleType(argument) else { return nil }
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

  static func shortName(_ type: HKObjectType) -> String { TypeName.short(type) }

  static func shortName(ofIdentifier identifier: String) -> String {
    TypeName.short(ofIdentifier: identifier)
  }
}
