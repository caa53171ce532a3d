/// A public symbol of Apple's HealthKit with its name in Swift.
struct AppleSymbol: Equatable {
  /// The name as in a symbol graph: type, dot, and member with argument labels. Overloads that differ only in
  /// types are one symbol.
  let name: String
  let kind: String
  /// The version of iOS that introduced it; empty if unknown.
  let since: String
  let section: SectionNumber

  static let kinds: Set<String> = [
    "class", "struct", "enum", "protocol", "case", "init", "method", "class method", "property", "global",
    "typealias",
  ]

  /// Returns whether a symbol comes before another in the table: by section, then by name.
  static func precedes(_ left: AppleSymbol, _ right: AppleSymbol) -> Bool {
    left.section == right.section ? left.name < right.name : left.section < right.section
  }
}
