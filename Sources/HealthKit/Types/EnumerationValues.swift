import Foundation

/// The raw values of the enumerations, for values that arrive as plain integers, and the names of Apple's
/// constants for them, for values that arrive spelt out.
package enum EnumerationValues {
  /// Apple's constant for a raw value: `HKCategoryValueSleepAnalysisAsleepCore`.
  /// - Returns: nil for a value that the enumeration does not have.
  package static func constant(for value: Int, of enumeration: String) -> String? {
    cases[enumeration]?.first { $0.value == value }.map { constant($0.key, of: enumeration) }
  }

  /// The raw value of one of Apple's constants, also of a deprecated one.
  package static func value(ofConstant constant: String) -> Int? { constants[constant] }

  /// The names and raw values of an enumeration's cases, deprecated names last.
  package static func names(of enumeration: String) -> [(name: String, value: Int)] {
    (cases[enumeration] ?? [:]).map { (name: $0.key, value: $0.value) }
  }

  /// Swift's case begins small, and Apple's constant is the enumeration's name with the case's after it.
  private static func constant(_ name: String, of enumeration: String) -> String {
    // The one name whose first word is an abbreviation.
    let isAbbreviation = enumeration == "HKBloodType" && name.hasPrefix("ab")
    let length = isAbbreviation ? 2 : 1
    return enumeration + name.prefix(length).uppercased() + name.dropFirst(length)
  }

  private static let constants: [String: Int] = {
    var constants: [String: Int] = [:]
    for (enumeration, cases) in cases where !enumeration.contains(".") {
      for (name, value) in cases { constants[constant(name, of: enumeration)] = value }
    }
    return constants
  }()
}
