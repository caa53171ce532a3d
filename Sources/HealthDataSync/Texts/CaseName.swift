import HealthKit

/// The name of a value of one of HealthKit's enumerations: Swift's name of the case.
package enum CaseName {
  /// - Returns: `asleepCore` for 3 in `HKCategoryValueSleepAnalysis`; `nil` for a value that this version
  ///   does not know.
  package static func text(_ value: Int, in enumeration: String) -> String? {
    guard let constant = EnumerationValues.constant(for: value, of: enumeration) else { return nil }
    let name = constant.dropFirst(enumeration.count)
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}
