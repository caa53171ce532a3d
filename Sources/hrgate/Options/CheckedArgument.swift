import ArgumentParser
import HealthKit

/// An argument with a rule that error messages explain.
protocol CheckedArgument {
  /// Returns `nil` if the argument is invalid.
  init?(argument: String)

  /// Returns the rule that the argument violates, and a suggestion if the argument is probably a typo.
  static func rule(for argument: String) -> String
}

extension CheckedArgument {
  /// Parses an argument.
  ///
  /// - Throws: `ValidationError` with the rule.
  static func read(_ argument: String) throws -> Self {
    guard let value = Self(argument: argument) else { throw ValidationError(rule(for: argument)) }
    return value
  }
}

/// A size argument in bytes: a whole number and `K`, `M` or `G` (powers of 1024).
struct SizeArgument: CheckedArgument {
  private static let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]

  var bytes: Int64

  init?(argument: String) {
    guard let unit = argument.last.flatMap({ Self.units[Character($0.uppercased())] }),
      let count = Int64(argument.dropLast()), count > 0, count <= (1 << 50) / unit
    else { return nil }
    bytes = count * unit
  }

  static func rule(for argument: String) -> String {
    "a size is a whole number with K, M or G, such as 500K, 100M or 1G"
  }
}

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
