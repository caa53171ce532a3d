/// What an iterator gives one by one of a list that its first `next()` reads.
struct LoadedList<Element> {
  private let load: () async throws -> [Element]
  private var elements: [Element]?
  private var position = 0

  init(_ load: @escaping () async throws -> [Element]) {
    self.load = load
  }

  mutating func next() async throws -> Element? {
    let elements =
      if let elements { elements } else { try await load() }
    self.elements = elements
    guard position < elements.count else { return nil }
    position += 1
    return elements[position - 1]
  }
}
