import Foundation

/// Collects texts from the header of a CDA document, such as the patient's name, in one pass. If there are
/// several names, the first one is used. The parts of a name, such as given and family name, are joined with
/// spaces.
struct CDAReader {
  private var summary = CDASummary()

  /// The names of the elements from the root to the current one. An element outside HL7's namespace has an
  /// empty name.
  private var path: [String] = []
  private var seen: Set<[String]> = []
  /// The text that is being collected, split at tags. `nil` outside elements whose text is needed.
  private var pieces: [String]?
  private var length = 0

  /// Maximum length of a collected text. A longer text is an error.
  private static let longestText = 10_000

  static func summary(of document: Data) throws(DocumentError) -> CDASummary {
    var elements = XMLReader(try XMLText.bytes(of: document))
    var reader = CDAReader()
    do {
      while let event = try elements.next() { try reader.take(event) }
    } catch {
      throw DocumentError("line \(elements.line): \(error.reason)")
    }
    if let missing = required.first(where: { !reader.seen.contains($0) }) {
      throw DocumentError("the element \(missing.joined(separator: "/")) is missing")
    }
    return reader.summary
  }

  private mutating func take(_ event: XMLReader.Event) throws(DocumentError) {
    switch event {
    case .start(let name): try start(name)
    case .end: end()
    case .text(let text): try collect(text)
    }
  }

  private mutating func start(_ name: XMLName) throws(DocumentError) {
    let isHL7 = name.namespace == Self.namespace
    guard !path.isEmpty || isHL7 && name.local == Self.root else {
      throw DocumentError("the root element is not \(Self.root) of the namespace \(Self.namespace)")
    }
    path.append(isHL7 ? name.local : "")
    if Self.required.contains(path) { seen.insert(path) }
    if pieces != nil {
      pieces?.append("")
    } else if Self.texts[path] != nil, seen.insert(path).inserted {
      pieces = [""]
      length = 0
    }
  }

  private mutating func end() {
    if let pieces {
      if let text = Self.texts[path] {
        summary[keyPath: text] = Self.joined(pieces)
        self.pieces = nil
      } else {
        self.pieces?.append("")
      }
    }
    path.removeLast()
  }

  private mutating func collect(_ text: String) throws(DocumentError) {
    guard let last = pieces?.indices.last else { return }
    length += text.utf8.count
    guard length <= Self.longestText else { throw DocumentError("a name or title is too long") }
    pieces?[last] += text
  }

  private static func joined(_ pieces: [String]) -> String {
    pieces.flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
  }
}

// MARK: - Required elements

extension CDAReader {
  private static let namespace = "urn:hl7-org:v3"
  private static let root = "ClinicalDocument"

  private static let required = ["recordTarget", "author", "custodian"].map { [root, $0] }

  private static let texts: [[String]: any WritableKeyPath<CDASummary, String> & Sendable] = [
    [root, "title"]: \.title,
    [root, "recordTarget", "patientRole", "patient", "name"]: \.patientName,
    [root, "author", "assignedAuthor", "assignedPerson", "name"]: \.authorName,
    [root, "custodian", "assignedCustodian", "representedCustodianOrganization", "name"]: \.custodianName,
  ]
}
