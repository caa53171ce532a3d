/// Writes DER elements (X.690 §8, §10).
enum DER {
  enum Tag {
    static let integer: UInt8 = 0x02
    static let utf8String: UInt8 = 0x0C
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
  }

  static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
    let count = bigEndian(content.count).drop { $0 == 0 }
    return [tag, 0x80 | UInt8(count.count)] + count + content
  }

  static func integer(_ number: Int64) -> [UInt8] {
    var content = bigEndian(number)[...]
    // Omit leading bytes that only repeat the sign, as DER requires.
    while content.count > 1, content[content.startIndex] == (number < 0 ? 0xFF : 0),
      (content[content.startIndex + 1] & 0x80 != 0) == (number < 0)
    {
      content.removeFirst()
    }
    return element(Tag.integer, content)
  }

  /// Returns a SET OF. DER requires its elements to be sorted by their bytes.
  static func set(_ elements: [[UInt8]]) -> [UInt8] {
    element(Tag.set, elements.sorted { $0.lexicographicallyPrecedes($1) }.joined())
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }
}

/// Reads DER elements.
///
/// It does not check that the bytes are DER: it accepts lengths with unnecessary bytes, and any content. To
/// check that, encode the result and compare the bytes.
struct DERReader {
  private(set) var rest: ArraySlice<UInt8>
  var isAtEnd: Bool { rest.isEmpty }

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Returns the next element.
  ///
  /// - Returns: `nil` at the end, or if the length of the element is not valid.
  mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    var bytes = rest
    guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
    var count = Int(first)
    if first >= 0x80 {
      let digits = bytes.prefix(count - 0x80)
      guard (1...4).contains(digits.count), digits.count == count - 0x80 else { return nil }
      bytes.removeFirst(digits.count)
      count = digits.reduce(0) { $0 << 8 | Int($1) }
    }
    guard count <= bytes.count else { return nil }
    let content = bytes.prefix(count)
    rest = bytes.dropFirst(count)
    return (tag, content)
  }

  /// Returns a reader for the content of the first element in `bytes`.
  static func content(_ bytes: ArraySlice<UInt8>) -> DERReader {
    var reader = DERReader(bytes)
    return DERReader(reader.next()?.content ?? [])
  }
}
