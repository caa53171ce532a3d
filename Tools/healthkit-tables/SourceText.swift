/// A builder for a generated Swift file.
struct SourceText {
  private(set) var text: String
  private static let lineLength = 110

  /// - Parameters:
  ///   - table: the data file that the text is generated from.
  ///   - hasApplesNames: whether some names do not start with a lower-case letter.
  init(from table: String, hasApplesNames: Bool = false) {
    text = "// Made from Data/\(table) by scripts/generate. Change the data, not this file.\n"
    if hasApplesNames { text += "// swift-format-ignore-file: AlwaysUseLowerCamelCase\n" }
  }

  mutating func line(_ line: String = "", indent: Int = 0) {
    text += line.isEmpty ? "\n" : String(repeating: "  ", count: indent) + line + "\n"
  }

  /// Appends a documentation comment, wrapped to the line length.
  mutating func comment(_ sentence: String, indent: Int = 0) {
    var current = ""
    for word in sentence.split(separator: " ") {
      if current.count + word.count + 5 + 2 * indent > Self.lineLength {
        line("/// " + current, indent: indent)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    if !current.isEmpty { line("/// " + current, indent: indent) }
  }

  /// Appends `head` and `tail` on one line, or on two if one would be too long.
  mutating func call(_ head: String, _ arguments: String, _ tail: String, indent: Int) {
    if head.count + arguments.count + tail.count + 2 * indent <= Self.lineLength {
      line(head + arguments + tail, indent: indent)
    } else {
      line(head, indent: indent)
      line(arguments.drop { $0 == " " } + tail, indent: indent + 1)
    }
  }

  /// Returns an extension with a static collection. `elements` adds its elements, indented by two levels.
  static func table(
    from file: String, of type: String, _ declaration: String, about: String,
    elements: (inout SourceText) -> Void
  ) -> SourceText {
    var source = SourceText(from: file)
    source.line()
    source.line("extension \(type) {")
    source.comment(about, indent: 1)
    source.line("static let \(declaration) = [", indent: 1)
    elements(&source)
    source.line("]", indent: 1)
    source.line("}")
    return source
  }

  /// Appends a collection on one line if it fits, otherwise with as many elements per line as fit.
  mutating func collection(_ head: String, _ elements: [String], indent: Int, tail: String = "") {
    let oneLine = "\(head) [\(elements.joined(separator: ", "))]\(tail)"
    if oneLine.count + 2 * indent < Self.lineLength {
      line(oneLine, indent: indent)
      return
    }
    line(head + " [", indent: indent)
    var current = ""
    for element in elements {
      if current.count + element.count + 4 + 2 * indent > Self.lineLength {
        line(current, indent: indent + 1)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + element + ","
    }
    line(current, indent: indent + 1)
    line("]" + tail, indent: indent)
  }

  /// Returns the name, in backquotes if it is a keyword.
  static func escaped(_ name: String) -> String {
    ["in", "default"].contains(name) ? "`\(name)`" : name
  }
}
