/// Reads the elements of an XML document with namespaces, in one pass. It rejects malformed documents and
/// document type declarations, so there are no entities except XML's own five.
struct XMLReader {
  enum Event {
    case start(XMLName)
    case end
    case text(String)
  }

  private struct Element {
    let name: XMLQualifiedName
    /// The number of namespace declarations in effect outside this element.
    let namespaceCount: Int
  }

  private var scanner: XMLScanner
  private var elements: [Element] = []
  private var namespaces: [(prefix: String, name: String)] = [("xml", "http://www.w3.org/XML/1998/namespace")]
  private var isEmptyElement = false
  private var hasRoot = false

  /// Maximum nesting of elements, far more than in real documents.
  private static let greatestDepth = 200
  private static let mostNamespaces = 100

  /// Creates a reader.
  /// - Parameter document: UTF-8 without characters that XML does not allow.
  init(_ document: [UInt8]) { scanner = XMLScanner(document: document) }

  /// The line number of the last event, starting at 1.
  var line: Int { scanner.line }

  /// Returns the next event, or `nil` at the end of a complete document.
  mutating func next() throws(DocumentError) -> Event? {
    if isEmptyElement {
      isEmptyElement = false
      return close()
    }
    while let token = scanner.next() {
      switch token {
      case .start(let tag): return try start(tag)
      case .end(let name): return try end(XMLQualifiedName(scanner[name]))
      case .text(let text):
        if !elements.isEmpty { return .text(try resolved(text)) }
        guard scanner[text].allSatisfy(XMLText.isSpace) else {
          throw DocumentError("text outside the root element")
        }
      case .characterData(let text):
        guard !elements.isEmpty else { throw DocumentError("text outside the root element") }
        return .text(String(decoding: scanner[text], as: UTF8.self))
      case .typeDeclaration: throw DocumentError("a document type declaration")
      case .malformed(let flaw, _): throw flaw
      }
    }
    guard hasRoot, elements.isEmpty else { throw DocumentError("the document ends too early") }
    return nil
  }

  private mutating func start(_ tag: XMLTag) throws(DocumentError) -> Event {
    guard !elements.isEmpty || !hasRoot else { throw DocumentError("a second root element") }
    guard elements.count < Self.greatestDepth else { throw DocumentError("elements nest too deeply") }
    hasRoot = true
    let element = Element(name: try XMLQualifiedName(scanner[tag.name]), namespaceCount: namespaces.count)
    elements.append(element)
    isEmptyElement = tag.isEmpty
    // Resolve prefixes after reading all attributes: a namespace may be declared after it is used.
    for attribute in try attributes(of: tag) where attribute.prefix != nil { _ = try resolved(attribute) }
    return .start(try resolved(element.name))
  }

  private mutating func end(_ name: XMLQualifiedName) throws(DocumentError) -> Event {
    guard name == elements.last?.name else { throw DocumentError("an end tag that does not match") }
    return close()
  }

  private mutating func close() -> Event {
    if let element = elements.popLast() { namespaces.removeLast(namespaces.count - element.namespaceCount) }
    return .end
  }

  /// Returns the attributes of a tag, except for its namespace declarations, which are recorded.
  private mutating func attributes(of tag: XMLTag) throws(DocumentError) -> [XMLQualifiedName] {
    var tag = tag
    var names: Set<XMLQualifiedName> = []
    var attributes: [XMLQualifiedName] = []
    while let attribute = try scanner.nextAttribute(of: &tag) {
      let name = try XMLQualifiedName(scanner[attribute.name])
      guard names.insert(name).inserted else { throw DocumentError("a duplicate attribute") }
      let value = try resolved(attribute.value, isAttribute: true)
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

  private mutating func declare(_ prefix: String, _ name: String) throws(DocumentError) {
    guard namespaces.count < Self.mostNamespaces else { throw DocumentError("too many namespaces") }
    guard prefix.isEmpty || !name.isEmpty else { throw DocumentError("a prefix without a namespace") }
    namespaces.append((prefix, name))
  }

  private func resolved(_ name: XMLQualifiedName) throws(DocumentError) -> XMLName {
    let prefix = name.prefix ?? ""
    let namespace = namespaces.last { $0.prefix == prefix }?.name
    guard let namespace = namespace ?? (prefix.isEmpty ? "" : nil) else {
      throw DocumentError("a prefix that is not declared")
    }
    return XMLName(namespace: namespace, local: name.local)
  }

  private func resolved(_ text: Range<Int>, isAttribute: Bool = false) throws(DocumentError) -> String {
    guard let text = XMLText.resolved(scanner[text], isAttribute: isAttribute) else {
      throw DocumentError("an invalid character reference")
    }
    return text
  }
}

/// The name of an element, with its namespace in place of the prefix.
struct XMLName: Hashable {
  /// The URI of the namespace, or empty if the name has no namespace.
  let namespace: String
  let local: String
}

/// A name as written in the document: `prefix:local` or `local`.
struct XMLQualifiedName: Hashable {
  let prefix: String?
  let local: String

  init(_ bytes: ArraySlice<UInt8>) throws(DocumentError) {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy(Self.isName) else {
      throw DocumentError("a missing name")
    }
    local = String(decoding: parts[parts.count - 1], as: UTF8.self)
    prefix = parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : nil
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first.map(startsName) == true && bytes.allSatisfy(continuesName)
  }

  /// Whether a name may start with this byte. Characters beyond ASCII are allowed anywhere in a name.
  private static func startsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: byte >= 0x80
    }
  }

  private static func continuesName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: startsName(byte)
    }
  }
}
