import ArgumentParser
import HealthKit
import HealthSystem
import ProgramSettings

/// A sample type on the command line: HealthKit's identifier, or what is left of it without its common
/// beginning, with a small first letter (`heartRate`, `activeEnergyBurned`, `heartbeatSeries`).
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

extension TypeArgument: CustomStringConvertible {
  var description: String { Self.shortName(type) }
}

/// What is said to whoever names a type that there is not.
enum SuggestedType {
  static func text(_ name: String, among types: [HKObjectType]) -> String {
    let isWhole = name.hasPrefix("HK")
    let near = NearestName.of(name, among: types.map { isWhole ? $0.identifier : TypeName.short($0) })
    return "there is no such type"
      + (near.map { ": do you mean \($0)?" } ?? "; hrgate sources shows the names of those that are stored")
  }
}
