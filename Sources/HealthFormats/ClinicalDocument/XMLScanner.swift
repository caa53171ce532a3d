/// Reads XML 1.0 with namespaces, once. It refuses a document type declaration, and so has only XML's own
/// five entities and reads nothing outside the document. It checks well-formedness where that could mislead,
/// and skips comments and processing instructions.
///
/// Foundation's parser is not used, because on Linux some documents end the process in it.
struct XMLScanner {
  enum Event {
    case start(XMLName)
    case end
    case text(String)
  }

  private struct Element {
    let name: XMLQualifiedName
    /// How many declarations of namespaces were in force outside.
    let namespaceCount: Int
  }

  private(set) var cursor: XMLCursor
  private var elements: [Element] = []
  private var namespaces: [(prefix: String, name: String)] = [("xml", "http://www.w3.org/XML/1998/namespace")]
  private var isEmptyElement = false
  private var hasRoot = false

  /// Deeper than any document for people, and more namespaces than any has.
  private static let greatestDepth = 200
  private static let mostNamespaces = 100

  /// - Parameter bytes: in UTF-8, without characters that XML does not allow.
  init(_ bytes: [UInt8]) {
    cursor = XMLCursor(bytes)
  }

  /// nil at the end of a whole document.
  mutating func next() throws(DocumentFlaw) -> Event? {
    if isEmptyElement {
      isEmptyElement = false
      return try close()
    }
    while !cursor.isAtEnd {
      if cursor.take("<!--") {
        try cursor.skip(past: "--")
        guard cursor.take(">") else { throw DocumentFlaw("a comment holds two hyphens") }
      } else if cursor.take("<?") {
        try cursor.skip(past: "?>")
      } else if cursor.take("<![CDATA[") {
        let text = try cursor.skip(past: "]]>")
        guard !elements.isEmpty else { throw DocumentFlaw("text outside the root") }
        return .text(String(decoding: text, as: UTF8.self))
      } else if cursor.take("<!") {
        throw DocumentFlaw("a document type declaration")
      } else if cursor.take("</") {
        return try endTag()
      } else if cursor.take("<") {
        return try startTag()
      } else if let text = try text() {
        return .text(text)
      }
    }
    guard hasRoot, elements.isEmpty else { throw DocumentFlaw("the document ends too early") }
    return nil
  }

  /// nil for white space outside the root.
  private mutating func text() throws(DocumentFlaw) -> String? {
    let raw = cursor.take { $0 != UInt8(ascii: "<") }
    guard elements.isEmpty else { return try XMLReference.resolved(raw) }
    guard raw.allSatisfy(XMLCursor.isSpace) else { throw DocumentFlaw("text outside the root") }
    return nil
  }
}

// MARK: - Tags

extension XMLScanner {
  private mutating func startTag() throws(DocumentFlaw) -> Event {
    guard !elements.isEmpty || !hasRoot else { throw DocumentFlaw("a second root") }
    guard elements.count < Self.greatestDepth else { throw DocumentFlaw("elements nest too deeply") }
    hasRoot = true
    elements.append(Element(name: try cursor.qualifiedName(), namespaceCount: namespaces.count))
    let attributes = try attributes()
    isEmptyElement = cursor.take("/")
    guard cursor.take(">"), let element = elements.last else { throw DocumentFlaw("a tag without an end") }
    // Names are resolved when all the tag's declarations are known.
    for attribute in attributes where attribute.prefix != nil { _ = try resolved(attribute) }
    return .start(try resolved(element.name))
  }

  private mutating func endTag() throws(DocumentFlaw) -> Event {
    guard try cursor.qualifiedName() == elements.last?.name else {
      throw DocumentFlaw("an end tag of another element")
    }
    cursor.skipSpace()
    guard cursor.take(">") else { throw DocumentFlaw("a tag without an end") }
    return try close()
  }

  private mutating func close() throws(DocumentFlaw) -> Event {
    guard let element = elements.popLast() else { throw DocumentFlaw("an end tag without a start") }
    namespaces.removeLast(namespaces.count - element.namespaceCount)
    return .end
  }

  /// The attributes that are not declarations of namespaces; those take effect.
  private mutating func attributes() throws(DocumentFlaw) -> [XMLQualifiedName] {
    var names: Set<XMLQualifiedName> = []
    var attributes: [XMLQualifiedName] = []
    while cursor.skipSpace(), cursor.isAtName {
      let name = try cursor.qualifiedName()
      guard names.insert(name).inserted else { throw DocumentFlaw("an attribute stands twice") }
      let value = try XMLReference.resolved(try cursor.quoted())
      if name.prefix == "xmlns" {
        try declare(name.local, value)
      } else if name.prefix == nil, name.local == "xmlns" {
        try declare("", value)
      } else {
        attributes.append(name)
      }
    }
    return attributes
  }

  private mutating func declare(_ prefix: String, _ name: String) throws(DocumentFlaw) {
    guard namespaces.count < Self.mostNamespaces else { throw DocumentFlaw("too many namespaces") }
    guard prefix.isEmpty || !name.isEmpty else { throw DocumentFlaw("a prefix without a namespace") }
    namespaces.append((prefix, name))
  }

  private func resolved(_ name: XMLQualifiedName) throws(DocumentFlaw) -> XMLName {
    let prefix = name.prefix ?? ""
    let namespace = namespaces.last { $0.prefix == prefix }?.name
    guard let namespace = namespace ?? (prefix.isEmpty ? "" : nil) else {
      throw DocumentFlaw("a prefix that is not declared")
    }
    return XMLName(namespace: namespace, local: name.local)
  }
}
