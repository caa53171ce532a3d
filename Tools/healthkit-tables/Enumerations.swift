/// Enumerations with Apple's raw values.
enum Enumerations {
  /// Returns one file with all enumerations, sorted by name.
  static func source(_ table: Table) -> SourceText {
    let hasApplesNames = table.rows.contains { $0["case"].first?.isUppercase == true }
    var source = SourceText(from: "enumerations.tsv", hasApplesNames: hasApplesNames)
    for (type, rows) in table.grouped(by: "enumeration").sorted(by: { $0.0 < $1.0 }) {
      append(type: type, rows: rows, to: &source)
    }
    return source
  }

  /// - Parameter type: for example `HKBloodType`, or `HKStateOfMind.Label` for a nested type.
  private static func append(type: String, rows: [Table.Row], to source: inout SourceText) {
    let names = type.split(separator: ".").map(String.init)
    let depth = names.count - 1
    source.line()
    for (level, outer) in names.dropLast().enumerated() { source.line("extension \(outer) {", indent: level) }
    for row in rows where row["case"].isEmpty { source.comment(row["about"], indent: depth) }
    let raw = rows.first?["rawType"] ?? "Int"
    source.line("public enum \(names.last ?? type): \(raw), Sendable {", indent: depth)
    for row in rows where !row["case"].isEmpty && row["deprecatedAliasOf"].isEmpty {
      source.line("case \(SourceText.escaped(row["case"])) = \(row["value"])", indent: depth + 1)
    }
    for row in rows where !row["deprecatedAliasOf"].isEmpty {
      let original = row["deprecatedAliasOf"]
      source.line()
      source.line("/// Same as `\(original)`.", indent: depth + 1)
      source.line("@available(*, deprecated, renamed: \"\(original)\")", indent: depth + 1)
      source.line("public static var \(row["case"]): Self { .\(original) }", indent: depth + 1)
    }
    source.line("}", indent: depth)
    for level in (0..<depth).reversed() { source.line("}", indent: level) }
  }
}
