import HealthFormats

/// Reads the children of an export's root element, one at a time.
///
/// An export contains data only in attributes, so text between tags is skipped. The document type declaration
/// is skipped too, because the one that iOS 16 writes is not well-formed.
///
/// As much as possible of a damaged export is read. If a tag cannot be read, only its element is lost.
/// Characters that XML does not allow are dropped and counted, but do not invalidate the tag that contains
/// them.
struct ElementReader {
  enum Event {
    case element(ExportElement)
    /// An element that cannot be used, because part of it cannot be read or its end tag is missing. The value
    /// is `nil` if not even its name can be read.
    case damaged(ExportElement?)
  }

  /// Elements that occur only as children of the root (in version 14 of Apple's document type). Records may
  /// also occur in a correlation.
  private static let topNames: Set = [
    "ExportDate", "Me", "Record", "Correlation", "Workout", "ActivitySummary", "ClinicalRecord", "Audiogram",
    "VisionPrescription",
  ]
  /// Elements that occur only inside one of the elements in `topNames`.
  private static let partNames: Set = [
    "MetadataEntry", "HeartRateVariabilityMetadataList", "InstantaneousBeatsPerMinute", "WorkoutEvent",
    "WorkoutActivity", "WorkoutStatistics", "WorkoutRoute", "FileReference", "SensitivityPoint",
    "RightEye", "LeftEye", "Attachment",
  ]
  /// Maximum number of children of an element, more than in any export from a phone.
  private static let mostChildren = 100_000
  private static let greatestDepth = 8

  /// Number of dropped characters: control characters, malformed UTF-8, references to invalid characters, and
  /// ampersands that do not begin a reference.
  var droppedCharacters: Int { scanner.droppedControls + droppedInText }

  private let file: ExportFile
  private var scanner = XMLScanner()
  private var droppedInText = 0
  private var open: [ExportElement] = []
  private var isDamaged = false
  private var hasRoot = false
  private var isComplete = false
  /// Whether the start tag of the current element could not be read. Its child elements are then skipped.
  private var isLost = false
  private var childCount = 0
  /// Number of open elements that are ignored because they are nested too deeply.
  private var beyondDepth = 0
  private var waiting: Event?

  init(_ file: ExportFile) { self.file = file }

  /// Returns the next event; `nil` at the end of a complete document.
  mutating func next() throws(ImportError) -> Event? {
    if let waiting {
      self.waiting = nil
      return waiting
    }
    while !isComplete {
      if let token = scanner.next() {
        if let event = try take(token) { return event }
      } else if scanner.isAtEnd {
        throw hasRoot ? .truncated : .notAnExport
      } else {
        try scanner.refill(file.read)
      }
    }
    return nil
  }

  private mutating func take(_ token: XMLScanner.Token) throws(ImportError) -> Event? {
    switch token {
    case .text, .characterData: return nil
    case .typeDeclaration:
      scanner.skip(to: "<HealthData")
      return nil
    case .start(let tag):
      guard let element = element(tag) else { return try flaw(name: tag.name) }
      guard hasRoot else {
        guard element.name == "HealthData" else { throw .notAnExport }
        hasRoot = true
        isComplete = tag.isEmpty
        return nil
      }
      return start(element, tag.isEmpty)
    case .end(let name):
      guard hasRoot else { throw .notAnExport }
      return end(text(name))
    case .malformed(_, let name): return try flaw(name: name)
    }
  }

  private mutating func element(_ tag: XMLTag) -> ExportElement? {
    var tag = tag
    var attributes: [ExportElement.Attribute] = []
    while true {
      do {
        guard let attribute = try scanner.nextAttribute(of: &tag) else { break }
        let value = AttributeText.decoded(scanner[attribute.value], &droppedInText)
        attributes.append(ExportElement.Attribute(name: text(attribute.name), value: value))
      } catch {
        return nil
      }
    }
    return ExportElement(name: text(tag.name), attributes: attributes)
  }

  /// Decodes a name. Malformed UTF-8 in it is dropped.
  private mutating func text(_ range: Range<Int>) -> String {
    AttributeText.withoutMalformed(scanner[range], &droppedInText)
  }

  private mutating func flaw(name: Range<Int>) throws(ImportError) -> Event? {
    guard hasRoot else { throw .notAnExport }
    return flaw(ExportElement(name: text(name), attributes: []))
  }

  /// Handles a tag that cannot be read. Reports it as damage, unless it is inside an element that has already
  /// been reported.
  private mutating func flaw(_ element: ExportElement) -> Event? {
    let isTop = Self.topNames.contains(element.name) && !isMember(element)
    guard isTop || open.isEmpty else {
      isDamaged = true
      return nil
    }
    let isPart = element.name.hasPrefix("/") || Self.partNames.contains(element.name)
    if isLost, isPart { return nil }
    isLost = true
    return interrupt(with: .damaged(isTop ? element : nil))
  }

  private mutating func start(_ element: ExportElement, _ isEmpty: Bool) -> Event? {
    if Self.topNames.contains(element.name) {
      isLost = false
      if !open.isEmpty, !isMember(element) {
        // The end tag of the previous element is missing, so report that element as damaged.
        let interrupted = Event.damaged(open.first)
        open = []
        waiting = begin(element, isEmpty)
        return interrupted
      }
    }
    return isLost ? nil : begin(element, isEmpty)
  }

  /// Returns an event. If an element is open, its end tag is missing, so it is reported as damaged first.
  private mutating func interrupt(with event: Event) -> Event {
    guard let interrupted = open.first else { return event }
    open = []
    waiting = event
    return .damaged(interrupted)
  }

  /// Returns whether the element is a record in a correlation.
  private func isMember(_ element: ExportElement) -> Bool {
    open.count == 1 && open[0].name == "Correlation" && element.name == "Record"
  }

  private mutating func begin(_ element: ExportElement, _ isEmpty: Bool) -> Event? {
    if open.isEmpty {
      isDamaged = false
      childCount = 0
      beyondDepth = 0
    } else {
      childCount += 1
      if childCount > Self.mostChildren { isDamaged = true }
      guard open.count < Self.greatestDepth else {
        isDamaged = true
        beyondDepth += isEmpty ? 0 : 1
        return nil
      }
    }
    guard !isEmpty else { return close(element) }
    open.append(element)
    return nil
  }

  private mutating func end(_ name: String) -> Event? {
    if beyondDepth > 0, name != "HealthData" {
      beyondDepth -= 1
      return nil
    }
    guard let depth = open.lastIndex(where: { $0.name == name }) else {
      if name == "HealthData" {
        isComplete = true
        return open.isEmpty ? nil : .damaged(open[0])
      }
      if !open.isEmpty { isDamaged = true }
      return nil
    }
    // The end tags of elements inside this one are missing.
    while open.count > depth + 1 {
      isDamaged = true
      _ = close(open.removeLast())
    }
    return close(open.removeLast())
  }

  /// Closes an element. Adds it to its parent, up to a maximum number of children, or returns it as an event
  /// if its parent is the root.
  private mutating func close(_ element: ExportElement) -> Event? {
    guard open.isEmpty else {
      if childCount <= Self.mostChildren {
        open[open.count - 1].children.append(element)
      }
      return nil
    }
    return isDamaged ? .damaged(element) : .element(element)
  }
}

/// An element of an export with its attributes and children.
struct ExportElement: Sendable {
  struct Attribute: Sendable {
    let name: String
    let value: String
  }

  let name: String
  let attributes: [Attribute]
  var children: [ExportElement] = []

  /// Returns the first value of an attribute.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// The end time. For some elements, iOS 16 writes the end as a second attribute with the name of the start
  /// attribute.
  var end: String? {
    self["endDate"] ?? attributes.filter { $0.name == "startDate" }.dropFirst().first?.value
  }

  func children(named name: String) -> [ExportElement] { children.filter { $0.name == name } }
}
