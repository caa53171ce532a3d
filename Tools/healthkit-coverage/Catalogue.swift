/// The symbols of Apple's HealthKit, hrgate's intentional differences, and its additions: the tables in
/// `Data/`.
struct Catalogue {
  struct Section {
    let number: SectionNumber
    let title: String
  }

  /// Sorted by number.
  let sections: [Section]
  /// The symbols in the order of the table.
  let symbols: [AppleSymbol]
  /// Descriptions of the differences by symbol.
  let differences: [String: String]
  /// Reasons for symbols that Apple's HealthKit does not have. An entry also covers its members.
  let additions: [String: String]

  init(sections: String, symbols: String, differences: String, additions: String) throws {
    self.sections = try Self.readSections(sections)
    self.symbols = try Self.readSymbols(symbols, in: Set(self.sections.map(\.number)))
    let names = Set(self.symbols.map(\.name))
    self.differences = try Self.readDifferences(differences, of: names)
    self.additions = try Self.readAdditions(additions, beyond: names)
  }

  private static func readSections(_ text: String) throws -> [Section] {
    let file = "healthkit-sections.tsv"
    let sections = try TabSeparated(text, columns: ["section", "title"], name: file).rows.map { row in
      guard let number = SectionNumber(row[0]) else {
        throw CoverageError("\(file): invalid section: \(row[0])")
      }
      return Section(number: number, title: row[1])
    }
    for (one, next) in zip(sections, sections.dropFirst()) where !(one.number < next.number) {
      throw CoverageError("\(file): \(next.number) must come before \(one.number)")
    }
    return sections
  }

  private static func readSymbols(_ text: String, in sections: Set<SectionNumber>) throws -> [AppleSymbol] {
    let file = "healthkit-symbols.tsv"
    let columns = ["symbol", "kind", "since", "section"]
    let symbols = try TabSeparated(text, columns: columns, name: file).rows.map { row in
      guard AppleSymbol.kinds.contains(row[1]) else {
        throw CoverageError("\(file): unknown kind: \(row[1])")
      }
      guard let section = SectionNumber(row[3]), sections.contains(section) else {
        throw CoverageError("\(file): \(row[0]) is in a section without a title: \(row[3])")
      }
      return AppleSymbol(name: row[0], kind: row[1], since: row[2], section: section)
    }
    var seen: Set<String> = []
    for symbol in symbols where !seen.insert(symbol.name).inserted {
      throw CoverageError("\(file): \(symbol.name) is listed twice")
    }
    for (one, next) in zip(symbols, symbols.dropFirst()) where !AppleSymbol.precedes(one, next) {
      throw CoverageError("\(file): \(next.name) must come before \(one.name)")
    }
    return symbols
  }

  private static func readDifferences(_ text: String, of symbols: Set<String>) throws -> [String: String] {
    let file = "healthkit-differences.tsv"
    var differences: [String: String] = [:]
    for row in try TabSeparated(text, columns: ["symbol", "difference"], name: file).rows {
      guard symbols.contains(row[0]) else {
        throw CoverageError("\(file): \(row[0]) is not in healthkit-symbols.tsv")
      }
      guard differences.updateValue(row[1], forKey: row[0]) == nil else {
        throw CoverageError("\(file): \(row[0]) is listed twice")
      }
    }
    return differences
  }

  private static func readAdditions(_ text: String, beyond symbols: Set<String>) throws -> [String: String] {
    let file = "healthkit-additions.tsv"
    var additions: [String: String] = [:]
    for row in try TabSeparated(text, columns: ["symbol", "reason"], name: file).rows {
      guard !symbols.contains(row[0]) else {
        throw CoverageError("\(file): \(row[0]) is Apple's, says healthkit-symbols.tsv")
      }
      guard additions.updateValue(row[1], forKey: row[0]) == nil else {
        throw CoverageError("\(file): \(row[0]) is listed twice")
      }
    }
    return additions
  }

  /// Returns the entry of the additions that covers a symbol: its own, or that of an enclosing type.
  func addition(of symbol: String) -> String? {
    sequence(first: symbol) { name in name.lastIndexOfOwner.map { String(name[..<$0]) } }
      .first { additions[$0] != nil }
  }
}
