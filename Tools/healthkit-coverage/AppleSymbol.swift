/// A public symbol of Apple's HealthKit, in Swift's spelling.
struct AppleSymbol: Equatable {
  /// As a symbol graph has it: the type, a dot, the member with its argument labels. Overloads that differ
  /// only in types are one.
  let name: String
  let kind: String
  /// The version of iOS that brought it; empty if not known.
  let since: String
  let section: SectionNumber

  static let kinds: Set<String> = [
    "class", "struct", "enum", "protocol", "case", "init", "method", "class method", "property", "global",
    "typealias",
  ]

  /// The order of the table: by section, then by name.
  static func precedes(_ left: AppleSymbol, _ right: AppleSymbol) -> Bool {
    left.section == right.section ? left.name < right.name : left.section < right.section
  }
}
