/// What a sequence gives one by one of a list that its first `next()` reads.
struct LoadedList<Element> {
  private var elements: [Element]?
  private var position = 0

  mutating func next(_ load: () async throws -> [Element]) async throws -> Element? {
    let elements =
      if let elements { elements } else { try await load() }
    self.elements = elements
    guard position < elements.count else { return nil }
    position += 1
    return elements[position - 1]
  }
}
