/// A set that is coded in order, so that equal conditions have equal bytes.
struct CodedSet<Element: Hashable & Comparable & Codable & Sendable>: Hashable, Sendable {
  private let elements: Set<Element>

  init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
  }

  func contains(_ element: Element) -> Bool { elements.contains(element) }
}

extension CodedSet: Codable {
  init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try elements.sorted().encode(to: encoder)
  }
}
