/// A place in the bytes of a document, in UTF-8.
struct XMLCursor {
  private var rest: ArraySlice<UInt8>
  private let start: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) {
    rest = Array(bytes)[...]
    start = rest
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// The number of the line, from 1.
  var line: Int { start[..<rest.startIndex].count { $0 == UInt8(ascii: "\n") } + 1 }

  var isAtName: Bool { rest.first.map(Self.startsName) ?? false }

  /// Passes over `text` if it stands here.
  mutating func take(_ text: StaticString) -> Bool {
    let isHere = text.withUTF8Buffer { rest.starts(with: $0) }
    if isHere { rest.removeFirst(text.utf8CodeUnitCount) }
    return isHere
  }

  /// What stands here as long as the bytes are of a kind.
  mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: isWanted)
    rest = rest[taken.endIndex...]
    return taken
  }

  /// What stands here until `text`, which is passed over too.
  @discardableResult
  mutating func skip(past text: StaticString) throws(DocumentFlaw) -> ArraySlice<UInt8> {
    let taken = rest
    while !rest.isEmpty {
      let end = rest.startIndex
      if take(text) { return taken[..<end] }
      rest.removeFirst()
    }
    throw DocumentFlaw("the document ends too early")
  }

  /// Whether there was any space.
  @discardableResult
  mutating func skipSpace() -> Bool {
    !take(while: Self.isSpace).isEmpty
  }

  /// `prefix:local` or `local`.
  mutating func qualifiedName() throws(DocumentFlaw) -> XMLQualifiedName {
    let first = try name()
    guard take(":") else { return XMLQualifiedName(prefix: nil, local: first) }
    return XMLQualifiedName(prefix: first, local: try name())
  }

  private mutating func name() throws(DocumentFlaw) -> String {
    guard isAtName else { throw DocumentFlaw("no name where one is expected") }
    return String(decoding: take(while: Self.continuesName), as: UTF8.self)
  }

  /// `="value"` or `='value'`, without what surrounds the value.
  mutating func quoted() throws(DocumentFlaw) -> ArraySlice<UInt8> {
    skipSpace()
    guard take("=") else { throw DocumentFlaw("an attribute without a value") }
    skipSpace()
    guard let quote = rest.first, take("\"") || take("'") else {
      throw DocumentFlaw("a value without quotes")
    }
    let value = take { $0 != quote && $0 != UInt8(ascii: "<") }
    guard take("\"") || take("'") else { throw DocumentFlaw("a value without an end") }
    return value
  }
}

// MARK: - Kinds of bytes

extension XMLCursor {
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }

  /// A character beyond ASCII may stand anywhere in a name.
  private static func startsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: byte >= 0x80
    }
  }

  private static func continuesName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: startsName(byte)
    }
  }
}
