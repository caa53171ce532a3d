import ArgumentParser
import HealthKit

/// A unit argument in HealthKit's notation: `count/min`, `kg`, `mg/dL`.
struct UnitArgument: CheckedArgument {
  var unit: HKUnit

  init?(argument: String) {
    guard let unit = try? HKUnit.validated(from: argument) else { return nil }
    self.unit = unit
  }

  static func rule(for argument: String) -> String {
    "a unit is written as in HealthKit, such as count/min, kg or mg/dL"
  }
}
