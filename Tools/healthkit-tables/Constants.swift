/// Global constants: metadata keys and other strings.
enum Constants {
  static func metadataKeys(_ table: Table) -> SourceText {
    var source = SourceText(from: "metadata-keys.tsv", hasApplesNames: true)
    for row in table.rows {
      source.line()
      source.comment(about(kind: row["kind"]) + " Available since iOS \(row["since"]).")
      source.call("public let \(row["constant"]) =", " \"\(row["raw"])\"", "", indent: 0)
    }
    return source
  }

  private static func about(kind: String) -> String {
    let words = kind.split(separator: " ", maxSplits: 1).map(String.init)
    return switch words.first {
    case "string": "The value is a String."
    case "date": "The value is a Date."
    case "boolean": "The value is a Bool as NSNumber."
    case "enumeration": "The value is the raw value of an `\(words.last ?? "")` as NSNumber."
    case "quantity" where words.last == "sample": "The value is an HKQuantity in a unit that fits the sample."
    case "quantity": "The value is an HKQuantity in a unit compatible with \(words.last ?? "")."
    default: "The value is an NSNumber."
    }
  }

  static func metadataKinds(_ table: Table) -> SourceText {
    .table(
      from: "metadata-keys.tsv", of: "MetadataKind", "ofKey: [String: MetadataKind]",
      about: "The kind of each predefined key's value."
    ) { source in
      for row in table.rows {
        let words = row["kind"].split(separator: " ", maxSplits: 1).map(String.init)
        let kind =
          switch words.first {
          case "quantity" where words.last == "sample": ".quantityOfSample"
          case "quantity", "enumeration": ".\(words[0])(\"\(words[1])\")"
          default: ".\(row["kind"])"
          }
        source.call("\(row["constant"]):", " \(kind),", "", indent: 2)
      }
    }
  }

  static func strings(_ table: Table) -> SourceText {
    var source = SourceText(from: "string-constants.tsv", hasApplesNames: true)
    source.line()
    source.line("// Key paths of predicates, sort identifiers, type identifiers, device properties.")
    source.line("// Many raw strings differ from the names.")
    source.line()
    for row in table.rows {
      source.call("public let \(row["constant"]) =", " \"\(row["raw"])\"", "", indent: 0)
    }
    return source
  }
}
