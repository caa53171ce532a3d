import Foundation

/// The raw values of Apple's enumerations, and the names of Apple's constants for them. They are used to
/// check values that are read as integers or as text.
package enum EnumerationValues {
  /// Returns the name of Apple's constant for a raw value, such as `HKCategoryValueSleepAnalysisAsleepCore`.
  /// - Returns: Nil if the enumeration does not have the value.
  package static func constant(for value: Int, of enumeration: String) -> String? {
    cases[enumeration]?.first { $0.value == value }.map { constant($0.key, of: enumeration) }
  }

  /// Returns the raw value of one of Apple's constants, including deprecated ones.
  package static func value(ofConstant constant: String) -> Int? { constants[constant] }

  /// Returns the names and raw values of the cases of an enumeration, with deprecated names last.
  package static func names(of enumeration: String) -> [(name: String, value: Int)] {
    (cases[enumeration] ?? [:]).map { (name: $0.key, value: $0.value) }
  }

  /// Returns the name of Apple's constant for a Swift case: the name of the enumeration and the capitalized
  /// case.
  private static func constant(_ name: String, of enumeration: String) -> String {
    // `HKBloodType.abPositive` and `.abNegative` are the only cases that start with an abbreviation.
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
