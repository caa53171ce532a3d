/// A Swift file in the making.
struct SourceText {
  private(set) var text: String
  private static let lineLength = 110

  /// - Parameters:
  ///   - table: the data file that the text comes from.
  ///   - hasApplesNames: whether there are names that do not start with a lower-case letter.
  init(from table: String, hasApplesNames: Bool = false) {
    text = "// Made from Data/\(table) by scripts/generate. Change the data, not this file.\n"
    if hasApplesNames { text += "// swift-format-ignore-file: AlwaysUseLowerCamelCase\n" }
  }

  mutating func line(_ line: String = "", indent: Int = 0) {
    text += line.isEmpty ? "\n" : String(repeating: "  ", count: indent) + line + "\n"
  }

  /// A documentation comment, in lines that fit.
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

  /// `head` and `tail` on one line, or on two where one would be too long.
  mutating func call(_ head: String, _ arguments: String, _ tail: String, indent: Int) {
    if head.count + arguments.count + tail.count + 2 * indent <= Self.lineLength {
      line(head + arguments + tail, indent: indent)
    } else {
      line(head, indent: indent)
      line(arguments.drop { $0 == " " } + tail, indent: indent + 1)
    }
  }

  /// A table in an extension: a static constant that is a collection of what `elements` adds, two levels in.
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

  /// A collection: on one line where it fits, else with as many elements on a line as fit.
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

  /// A name that is a word of the language as well.
  static func escaped(_ name: String) -> String {
    ["in", "default"].contains(name) ? "`\(name)`" : name
  }
}
