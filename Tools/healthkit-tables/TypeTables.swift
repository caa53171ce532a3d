/// The properties of quantity and category types as Swift table rows.
enum TypeTables {
  static func quantityTypes(_ table: Table) -> SourceText {
    .table(
      from: "quantity-types.tsv", of: "QuantityTypeTraits", "rows: [Row]",
      about: "Canonical unit and aggregation style of each type, as in SDK 26.0."
    ) { source in
      for row in table.rows {
        var arguments = ".\(row["member"]), \"\(row["unit"])\", .\(row["style"])"
        if row["shareable"] == "no" { arguments += ", isShareable: false" }
        if !row["minimumDuration"].isEmpty { arguments += ", minimumDuration: \(row["minimumDuration"])" }
        source.line("Row(\(arguments)),", indent: 2)
      }
    }
  }

  static func categoryTypes(_ table: Table) -> SourceText {
    .table(
      from: "category-types.tsv", of: "CategoryTypeTraits", "rows: [Row]",
      about: "The enumeration of each type's values."
    ) { source in
      // Two members of an enumeration can have the same raw identifier; only the first one gets a row.
      var seen: Set<String> = []
      for row in table.rows where seen.insert(row["raw"]).inserted {
        var arguments = ".\(row["member"]), \"\(row["values"])\""
        if row["shareable"] == "no" { arguments += ", isShareable: false" }
        if row["openEnded"] == "yes" { arguments += ", isOpenEnded: true" }
        source.line("Row(\(arguments)),", indent: 2)
      }
    }
  }

  static func codes(_ table: Table) -> SourceText {
    .table(
      from: "type-codes.tsv", of: "TypeCodes", "identifiers: [Int: String]",
      about: "The type identifiers by number."
    ) { source in
      for row in table.rows { source.line("\(row["code"]): \"\(row["raw"])\",", indent: 2) }
    }
  }

  /// Returns the raw values of each enumeration, for checks of category values and metadata.
  static func enumerationValues(_ enumerations: Table) -> SourceText {
    .table(
      from: "enumerations.tsv", of: "EnumerationValues", "table: [String: Set<Int>]",
      about: "The raw values of every enumeration, by its name."
    ) { source in
      for (name, rows) in enumerations.grouped(by: "enumeration") {
        let values = rows.filter { !$0["case"].isEmpty && $0["deprecatedAliasOf"].isEmpty }.map {
          $0["value"]
        }
        source.collection("\"\(name)\":", values, indent: 2, tail: ",")
      }
    }
  }

  /// Returns the names of the constants, for exports with readable values. A deprecated name comes after its
  /// successor.
  static func enumerationNames(_ enumerations: Table) -> SourceText {
    .table(
      from: "enumerations.tsv", of: "EnumerationValues", "cases: [String: KeyValuePairs<String, Int>]",
      about: "The cases of every enumeration, by its name."
    ) { source in
      for (name, rows) in enumerations.grouped(by: "enumeration") {
        let cases = rows.filter { !$0["case"].isEmpty }
        let names =
          cases.filter { $0["deprecatedAliasOf"].isEmpty } + cases.filter { !$0["deprecatedAliasOf"].isEmpty }
        source.collection(
          "\"\(name)\":", names.map { "\"\($0["case"])\": \($0["value"])" }, indent: 2, tail: ",")
      }
    }
  }
}
