/// A section number such as 5.10, which sorts after 5.9.
struct SectionNumber: Hashable, Comparable, CustomStringConvertible {
  let parts: [Int]

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard !parts.contains(nil) else { return nil }
    self.parts = parts.compactMap(\.self)
  }

  var description: String { parts.map(String.init).joined(separator: ".") }

  static func < (left: SectionNumber, right: SectionNumber) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}
