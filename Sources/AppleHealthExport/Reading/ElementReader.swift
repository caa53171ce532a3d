/// Gathers tags to the elements that stand in the root, one at a time.
struct ElementReader {
  enum Event {
    case element(ExportElement)
    /// An element with something in it that could not be read, or that another one interrupts. It is `nil` if
    /// not even the name in its tag could be read.
    case damaged(ExportElement?)
  }

  /// What stands in the root (Apple's document type, version 14), and in nothing else but a correlation.
  private static let topNames: Set = [
    "ExportDate", "Me", "Record", "Correlation", "Workout", "ActivitySummary", "ClinicalRecord", "Audiogram",
    "VisionPrescription",
  ]
  /// The elements inside the elements above.
  private static let partNames: Set = [
    "MetadataEntry", "HeartRateVariabilityMetadataList", "InstantaneousBeatsPerMinute", "WorkoutEvent",
    "WorkoutActivity", "WorkoutStatistics", "WorkoutRoute", "FileReference", "SensitivityPoint",
    "RightEye", "LeftEye", "Attachment",
  ]
  /// More than any element holds that a phone writes.
  private static let mostChildren = 100_000
  private static let greatestDepth = 8

  private var scanner: TagScanner
  private var open: [ExportElement] = []
  private var isDamaged = false
  private var hasRoot = false
  private var isComplete = false
  /// Whether the last tag of an element could not be read: the parts that follow belong to no element.
  private var isLost = false
  private var childCount = 0
  /// How many elements are open that nest too deeply to be kept.
  private var beyondDepth = 0
  private var waiting: Event?

  init(_ file: ExportFile) { scanner = TagScanner(file) }

  /// Number of characters that were left out of tags (`TagScanner`).
  var droppedCharacters: Int { scanner.droppedCharacters }

  /// nil at the end of a whole document.
  mutating func next() throws(ImportObstacle) -> Event? {
    if let waiting {
      self.waiting = nil
      return waiting
    }
    while !isComplete {
      guard let tag = try scanner.next() else {
        guard hasRoot else { throw .notAnExport }
        throw .truncated
      }
      if let event = try take(tag) { return event }
    }
    return nil
  }

  private mutating func take(_ tag: TagScanner.Event) throws(ImportObstacle) -> Event? {
    switch tag {
    case .flaw(let name):
      guard hasRoot else { throw .notAnExport }
      return flaw(ExportElement(name: name, attributes: []))
    case .start(let name, let attributes, let isEmpty):
      guard hasRoot else {
        guard name == "HealthData" else { throw .notAnExport }
        hasRoot = true
        isComplete = isEmpty
        return nil
      }
      return start(ExportElement(name: name, attributes: attributes), isEmpty)
    case .end(let name):
      guard hasRoot else { throw .notAnExport }
      return end(name)
    }
  }

  /// A tag that cannot be read costs its element. Each one counts, but not the parts of an element that is
  /// lost already.
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
        // The end of the element before is missing.
        let interrupted = Event.damaged(open.first)
        open = []
        waiting = begin(element, isEmpty)
        return interrupted
      }
    }
    return isLost ? nil : begin(element, isEmpty)
  }

  /// If an element is open, its end is missing: it is damaged, and the event comes after it.
  private mutating func interrupt(with event: Event) -> Event {
    guard let interrupted = open.first else { return event }
    open = []
    waiting = event
    return .damaged(interrupted)
  }

  /// Whether it is one of a correlation's own.
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
    // What is still open inside has lost its end.
    while open.count > depth + 1 {
      isDamaged = true
      _ = close(open.removeLast())
    }
    return close(open.removeLast())
  }

  /// An element within another goes to that one; what there is too much of is let go.
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
