import HealthKit

/// What a value of one of HealthKit's enumerations is called: Swift's name of the case.
enum CaseName {
  /// - Returns: `asleepCore` for 3 in `HKCategoryValueSleepAnalysis`; `nil` for a value that this version
  ///   does not know.
  static func text(_ value: Int, in enumeration: String) -> String? {
    guard let constant = EnumerationValues.constant(for: value, of: enumeration) else { return nil }
    let name = constant.dropFirst(enumeration.count)
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}
