/// The comparison of Apple's symbols with the module's.
struct Coverage {
  enum Status: Equatable {
    case present
    /// The symbol is present, but intentionally different.
    case different(String)
    case absent
  }

  struct Count: Equatable {
    var present = 0
    var different = 0
    var absent = 0

    var total: Int { present + different + absent }

    mutating func add(_ status: Status) {
      switch status {
      case .present: present += 1
      case .different: different += 1
      case .absent: absent += 1
      }
    }

    init(_ statuses: some Sequence<Status>) {
      for status in statuses { add(status) }
    }
  }

  struct Section {
    let section: Catalogue.Section
    let rows: [(symbol: AppleSymbol, status: Status)]

    var count: Count { Count(rows.lazy.map(\.status)) }
  }

  let sections: [Section]
  /// Public symbols that Apple's HealthKit does not have, with reasons. A member has no reason if the reason
  /// of its type applies.
  let extras: [(symbol: String, reason: String?)]

  var count: Count { Count(sections.lazy.flatMap(\.rows).map(\.status)) }

  /// - Throws: `CoverageError` if a symbol of the differences or additions is not in the module, or if a
  ///   symbol of the module is in no table.
  init(_ catalogue: Catalogue, _ surface: PublicSurface) throws {
    for symbol in catalogue.differences.keys.sorted() where !surface.names.contains(symbol) {
      throw CoverageError("healthkit-differences.tsv: \(symbol) is not in the module")
    }
    let symbols = Dictionary(grouping: catalogue.symbols, by: \.section)
    sections = catalogue.sections.map { section in
      let rows = (symbols[section.number] ?? []).map { symbol in
        (symbol, Self.status(of: symbol.name, catalogue, surface))
      }
      return Section(section: section, rows: rows)
    }
    let extras = surface.extras(beyond: Set(catalogue.symbols.map(\.name)))
    for extra in extras where catalogue.addition(of: extra) == nil {
      throw CoverageError(
        "\(extra) is in the module and in no table: add it to healthkit-symbols.tsv if Apple has it, "
          + "otherwise to healthkit-additions.tsv")
    }
    for addition in catalogue.additions.keys.sorted() where !extras.contains(addition) {
      throw CoverageError("healthkit-additions.tsv: \(addition) is not in the module")
    }
    self.extras = extras.map { ($0, catalogue.additions[$0]) }
  }

  private static func status(of name: String, _ catalogue: Catalogue, _ surface: PublicSurface) -> Status {
    if let difference = catalogue.differences[name] { return .different(difference) }
    return surface.names.contains(name) ? .present : .absent
  }
}
