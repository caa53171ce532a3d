/// Reads a signature from the left; one pass, no recursion deeper than the limits of the specification.
struct SignatureParser {
  static let longest = 255
  static let deepestNesting = 32

  private var rest: Substring.UTF8View
  private var arrays = 0
  private var structures = 0

  /// - Returns: the complete types one after another; nil when the text breaks a rule.
  static func completeTypes(of text: String.UTF8View) -> [Substring.UTF8View]? {
    guard text.count <= longest else { return nil }
    var parser = SignatureParser(rest: text[...])
    var types: [Substring.UTF8View] = []
    while !parser.rest.isEmpty {
      let start = parser.rest
      guard parser.skipCompleteType() else { return nil }
      types.append(start[..<parser.rest.startIndex])
    }
    return types
  }

  private init(rest: Substring.UTF8View) {
    self.rest = rest
  }

  private mutating func skipCompleteType() -> Bool {
    guard let letter = rest.popFirst() else { return false }
    switch letter {
    case UInt8(ascii: "a"):
      arrays += 1
      defer { arrays -= 1 }
      guard arrays <= Self.deepestNesting else { return false }
      return rest.first == UInt8(ascii: "{") ? skipDictionaryEntry() : skipCompleteType()
    case UInt8(ascii: "("):
      return skipStructure()
    default:
      return Self.isBasic(letter) || letter == UInt8(ascii: "v")
    }
  }

  private mutating func skipStructure() -> Bool {
    structures += 1
    defer { structures -= 1 }
    guard structures <= Self.deepestNesting, rest.first != UInt8(ascii: ")") else { return false }
    while let next = rest.first {
      if next == UInt8(ascii: ")") {
        rest.removeFirst()
        return true
      }
      guard skipCompleteType() else { return false }
    }
    return false
  }

  private mutating func skipDictionaryEntry() -> Bool {
    rest.removeFirst()
    guard let key = rest.popFirst(), Self.isBasic(key), skipCompleteType() else { return false }
    return rest.popFirst() == UInt8(ascii: "}")
  }

  private static let basicLetters = Set("ybnqiuxtdsogh".utf8)

  private static func isBasic(_ letter: UInt8) -> Bool {
    basicLetters.contains(letter)
  }
}
