/// A line of comma-separated values (RFC 4180): a field with a comma, a quote or a line break stands in
/// quotes.
enum CSVLine {
  static func text(_ fields: [String]) -> String {
    fields.map(quoted).joined(separator: ",")
  }

  private static func quoted(_ field: String) -> String {
    guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}
