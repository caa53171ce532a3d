/// A line of comma-separated values (RFC 4180): a field with a comma or a quote stands in quotes.
///
/// A character that does something to a terminal, or that ends a line, is written as ``Swift/String/plain``
/// writes it: names are their owners' choice, and a line is a record for whoever reads lines. JSON has every
/// character.
enum CSVLine {
  static func text(_ fields: [String]) -> String {
    fields.map { quoted($0.plain) }.joined(separator: ",")
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { $0 == "," || $0 == "\"" }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}
