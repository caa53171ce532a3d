/// Enumerations with Apple's raw values.
enum Enumerations {
  /// - Parameter type: `HKBloodType`, or `HKStateOfMind.Label` for one that stands in a class.
  static func source(type: String, rows: [Table.Row]) -> SourceText {
    let names = type.split(separator: ".").map(String.init)
    let depth = names.count - 1
    let hasApplesNames = rows.contains { $0["case"].first?.isUppercase == true }
    var source = SourceText(from: "enumerations.tsv", hasApplesNames: hasApplesNames)
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
      source.line("/// As `\(original)`.", indent: depth + 1)
      source.line("@available(*, deprecated, renamed: \"\(original)\")", indent: depth + 1)
      source.line("public static var \(row["case"]): Self { .\(original) }", indent: depth + 1)
    }
    source.line("}", indent: depth)
    for level in (0..<depth).reversed() { source.line("}", indent: level) }
    return source
  }
}
