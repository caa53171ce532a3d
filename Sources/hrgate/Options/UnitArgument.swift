import ArgumentParser
import HealthKit

/// A unit on the command line, as HealthKit writes it: `count/min`, `kg`, `mg/dL`.
struct UnitArgument: ExpressibleByArgument {
  var unit: HKUnit

  init?(argument: String) {
    guard let unit = try? HKUnit.validated(from: argument) else { return nil }
    self.unit = unit
  }
}
