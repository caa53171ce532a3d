/// A line of comma-separated values (RFC 4180): a field with a comma or a quote stands in quotes.
///
/// Always one line: a character that ends a line, or does something to a terminal, is written as an escape.
/// Names are their owners' choice, and a line is a record for whoever reads lines. JSON has every character.
/// A text that a spreadsheet would take for a formula gets an apostrophe before it.
package enum CSVText {
  package static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") }

  private static func field(_ text: String) -> String {
    let plain = text.unicodeScalars.reduce(into: "") { plain, scalar in
      plain += scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
    }
    let harmless = isFormula(plain) ? "'" + plain : plain
    guard harmless.contains(where: { $0 == "," || $0 == "\"" }) else { return harmless }
    return "\"" + harmless.replacing("\"", with: "\"\"") + "\""
  }

  private static func isFormula(_ field: String) -> Bool {
    field.first.map { "=+-@".contains($0) } == true && Double(field) == nil
  }
}
