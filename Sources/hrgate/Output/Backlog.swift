/// What waits to be written: so many, then the oldest are dropped, and counted at their place.
struct Backlog<Element: Sendable> {
  enum Next: Sendable {
    case element(Element)
    /// So many are missing here.
    case missing(Int)
  }

  private let capacity: Int
  private var waiting: [Element] = []
  /// How many are missing before the first that waits.
  private var missing = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Those that wait, and those that are missing and nobody was told of.
  var count: Int { waiting.count + missing }

  mutating func append(_ element: Element) {
    if waiting.count >= capacity {
      // The newest are kept: they say how things stand.
      waiting.removeFirst()
      missing += 1
    }
    waiting.append(element)
  }

  /// One at a time, so that no more than one is beyond change.
  mutating func next() -> Next? {
    if missing > 0 {
      defer { missing = 0 }
      return .missing(missing)
    }
    return waiting.isEmpty ? nil : .element(waiting.removeFirst())
  }

  /// So many that were taken are written nowhere.
  mutating func lose(_ count: Int) { missing += count }

  /// The first that waits goes the way of those before it.
  /// - Returns: Whether there was one.
  mutating func loseNext() -> Bool {
    guard !waiting.isEmpty else { return false }
    waiting.removeFirst()
    missing += 1
    return true
  }
}
