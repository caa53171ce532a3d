/// Typed string structs such as `HKQuantityTypeIdentifier`.
enum Identifiers {
  /// Returns a file with one struct.
  static func source(type: String, about: String, table: String, rows: [Table.Row], groups: Bool)
    -> SourceText
  {
    var source = SourceText(from: table, hasApplesNames: hasApplesNames(rows))
    append(type: type, about: about, rows: rows, groups: groups, to: &source)
    return source
  }

  /// Returns a file with a struct for each type of the table, sorted by name.
  static func source(_ table: Table, named name: String, about: (String) -> String) -> SourceText {
    var source = SourceText(from: name, hasApplesNames: hasApplesNames(table.rows))
    for (type, rows) in table.grouped(by: "type").sorted(by: { $0.0 < $1.0 }) {
      append(type: type, about: about(type), rows: rows, groups: false, to: &source)
    }
    return source
  }

  private static func hasApplesNames(_ rows: [Table.Row]) -> Bool {
    rows.contains { $0["member"].first?.isUppercase == true }
  }

  private static func append(
    type: String, about: String, rows: [Table.Row], groups: Bool, to source: inout SourceText
  ) {
    source.line()
    source.comment(about)
    source.line("public struct \(type): RawRepresentable, Hashable, Sendable {")
    source.line("public let rawValue: String", indent: 1)
    source.line()
    source.line("public init(rawValue: String) {", indent: 1)
    source.line("self.rawValue = rawValue", indent: 2)
    source.line("}", indent: 1)
    source.line("}")
    var group: String?
    var isOpen = false
    for row in rows {
      if !isOpen || groups && row["group"] != group {
        if isOpen { source.line("}") }
        group = row["group"]
        isOpen = true
        source.line()
        if groups { source.line("// MARK: - \(row["group"])\n") }
        source.line("extension \(type) {")
      }
      if !row["since"].isEmpty { source.line("/// Available since iOS \(row["since"]).", indent: 1) }
      source.call("public static let \(row["member"]) = Self(", "rawValue: \"\(row["raw"])\"", ")", indent: 1)
    }
    if isOpen { source.line("}") }
    source.line()
    source.line("extension \(type) {")
    source.comment("All identifiers.", indent: 1)
    source.collection("static let all: [Self] =", rows.map { ".\($0["member"])" }, indent: 1)
    source.line("}")
  }
}
