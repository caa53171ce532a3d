/// What the type tables say of each quantity and category type, as Swift rows.
enum TypeTables {
  static func quantityTypes(_ table: Table) -> SourceText {
    var source = SourceText(from: "quantity-types.tsv")
    source.line()
    source.line("extension QuantityTypeTraits {")
    source.comment("Canonical unit and aggregation style of each type, as in SDK 26.0.", indent: 1)
    source.line("static let rows: [Row] = [", indent: 1)
    for row in table.rows {
      var arguments = ".\(row["member"]), \"\(row["unit"])\", .\(row["style"])"
      if row["shareable"] == "no" { arguments += ", isShareable: false" }
      if !row["minimumDuration"].isEmpty { arguments += ", minimumDuration: \(row["minimumDuration"])" }
      source.line("Row(\(arguments)),", indent: 2)
    }
    source.line("]", indent: 1)
    source.line("}")
    return source
  }

  static func categoryTypes(_ table: Table) -> SourceText {
    var source = SourceText(from: "category-types.tsv")
    source.line()
    source.line("extension CategoryTypeTraits {")
    source.comment("The enumeration of each type's values.", indent: 1)
    source.line("static let rows: [Row] = [", indent: 1)
    // Two members may name one raw identifier; the first one counts.
    var seen: Set<String> = []
    for row in table.rows where seen.insert(row["raw"]).inserted {
      var arguments = ".\(row["member"]), \"\(row["values"])\""
      if row["shareable"] == "no" { arguments += ", isShareable: false" }
      if row["openEnded"] == "yes" { arguments += ", isOpenEnded: true" }
      source.line("Row(\(arguments)),", indent: 2)
    }
    source.line("]", indent: 1)
    source.line("}")
    return source
  }

  /// The raw values that each enumeration has, for the checks of category values and metadata.
  static func enumerationValues(_ enumerations: Table) -> SourceText {
    var source = SourceText(from: "enumerations.tsv")
    source.line()
    source.line("extension EnumerationValues {")
    source.comment("The raw values of every enumeration, by its name.", indent: 1)
    source.line("static let table: [String: Set<Int>] = [", indent: 1)
    for (name, rows) in enumerations.grouped(by: "enumeration") {
      let values = rows.filter { !$0["case"].isEmpty && $0["deprecatedAliasOf"].isEmpty }.map { $0["value"] }
      source.collection("\"\(name)\":", values, indent: 2, tail: ",")
    }
    source.line("]", indent: 1)
    source.line("}")
    return source
  }
}
