/// Builds the text of an element.
struct ElementText {
  private let name: String
  private let margin: String
  private var tag: String

  init(_ name: String, indent: Int) {
    self.name = name
    margin = String(repeating: " ", count: indent)
    tag = margin + "<" + name
  }

  /// Adds an attribute, unless the value is `nil`.
  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    tag += " " + name + "=\"" + AttributeText.encoded(value) + "\""
  }

  var empty: String { tag + "/>\n" }

  func holding(_ parts: [String]) -> String {
    parts.isEmpty ? empty : tag + ">\n" + parts.joined() + margin + "</" + name + ">\n"
  }
}
