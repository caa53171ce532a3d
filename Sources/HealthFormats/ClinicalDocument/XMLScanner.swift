import Glibc

/// Splits the bytes of XML 1.0 into tags and text. `XMLReader` uses it for strict parsing. The import of
/// Health exports uses it to read what is intact in a damaged file.
///
/// It does not support entity declarations, reads nothing outside the document, and skips comments and
/// processing instructions. Foundation's parser is not used, because some documents crash it on Linux.
package struct XMLScanner {
  package enum Token {
    case start(XMLTag)
    case end(name: Range<Int>)
    /// The range of a text. References such as `&amp;` in it are not replaced.
    case text(Range<Int>)
    /// The range of a text in a CDATA section. It contains no references.
    case characterData(Range<Int>)
    /// The beginning of `<!DOCTYPE`, before the root.
    case typeDeclaration
    /// A tag that cannot be parsed. The name is empty if it cannot be parsed. A lenient scanner continues
    /// after the tag, or at the next `<` if that comes first.
    case malformed(DocumentError, name: Range<Int>)
  }

  private enum State {
    case content, comment, instruction, characterData
    case skipping(to: StaticString)
  }

  private enum Step {
    case token(Token)
    case skipped
    case incomplete
  }

  /// Maximum length in bytes of a tag in a file that is read in pieces. It is longer than any metadata that a
  /// phone writes.
  package static let longestTag = 256 * 1024

  /// Number of control characters that a lenient scanner removed from tags.
  package private(set) var droppedControls = 0
  package private(set) var isAtEnd: Bool
  private let isLenient: Bool
  private var bytes: [UInt8]
  private var state = State.content
  private var start = 0
  private var end: Int
  private var hasRoot = false
  /// The position at which the last token or skipped markup began.
  private var position = 0

  /// Creates a scanner of a complete document.
  /// - Parameter document: UTF-8 without characters that XML does not allow.
  init(document: [UInt8]) {
    bytes = document
    end = document.count
    isAtEnd = true
    isLenient = false
  }

  /// Creates a lenient scanner for a file that may be damaged. Call `refill` to provide the bytes.
  package init() {
    bytes = [UInt8](repeating: 0, count: 2 * Self.longestTag)
    end = 0
    isAtEnd = false
    isLenient = true
  }

  /// Returns the bytes of a token, valid until the next call of `next` or `refill`.
  package subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

  /// The line number of the last token, starting at 1.
  var line: Int { bytes[..<position].count { $0 == UInt8(ascii: "\n") } + 1 }

  /// Returns the next token. Returns `nil` if more bytes are needed or, if `isAtEnd` is true, at the end of
  /// the document.
  package mutating func next() -> Token? {
    while start < end {
      position = start
      switch step() {
      case .token(let token): return token
      case .skipped: continue
      case .incomplete:
        guard isAtEnd else { return nil }
        start = end
      }
    }
    guard isAtEnd else { return nil }
    if case .content = state { return nil }
    state = .content
    return .malformed(DocumentError("the document ends too early"), name: end..<end)
  }

  /// Makes the scanner skip everything up to a text.
  package mutating func skip(to text: StaticString) { state = .skipping(to: text) }

  /// Moves the unread bytes to the front and calls `read` once. `isAtEnd` becomes true if nothing was read.
  package mutating func refill<Failure>(
    _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    let pending = start..<end
    let result: Result<Int, Failure> = bytes.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { memmove(base, base + pending.lowerBound, pending.count) }
      return Result { () throws(Failure) in
        try read(UnsafeMutableRawBufferPointer(rebasing: bytes[pending.count...]))
      }
    }
    (start, end) = (0, pending.count)
    let count = try result.get()
    end += count
    isAtEnd = count == 0
  }
}

// MARK: - Markup

extension XMLScanner {
  private mutating func step() -> Step {
    switch state {
    case .content:
      guard bytes[start] == UInt8(ascii: "<") else { return text() }
      return markup()
    case .comment: return comment()
    case .instruction: return instruction()
    case .characterData: return characterData()
    case .skipping(let text):
      guard let index = index(of: text) else { return keep(text.utf8CodeUnitCount - 1) }
      start = index
      state = .content
      return .skipped
    }
  }

  private mutating func text() -> Step {
    let text = start..<(index(of: "<") ?? end)
    start = text.upperBound
    return .token(.text(text))
  }

  private mutating func markup() -> Step {
    // This many bytes suffice to distinguish the kinds of markup that begin with `<!`.
    guard isAtEnd || end - start >= "<![CDATA[".utf8.count else { return .incomplete }
    if skip("<!--") {
      state = .comment
    } else if skip("<?") {
      state = .instruction
    } else if skip("<![CDATA[") {
      state = .characterData
    } else if !hasRoot, skip("<!DOCTYPE") {
      return .token(.typeDeclaration)
    } else {
      return tag()
    }
    return .skipped
  }

  private mutating func comment() -> Step {
    guard let hyphens = index(of: "--") else { return keep(1) }
    start = hyphens
    guard isAtEnd || end - start >= 3 else { return .incomplete }
    if skip("-->") {
      state = .content
    } else {
      start += 1
      if !isLenient { return .token(malformed("a comment contains two hyphens")) }
    }
    return .skipped
  }

  /// Skips a processing instruction. In a damaged file, the start of a record may look like an instruction,
  /// so the next `<` ends it.
  private mutating func instruction() -> Step {
    let next = isLenient && hasRoot ? index(of: "<") : nil
    if let close = index(of: "?>", before: next) {
      start = close + 2
      state = .content
      return .skipped
    }
    guard let next else { return keep(1) }
    start = next
    state = .content
    return .token(malformed("a processing instruction without an end"))
  }

  private mutating func characterData() -> Step {
    if let close = index(of: "]]>") {
      let text = start..<close
      start = close + 3
      state = .content
      return .token(.characterData(text))
    }
    let text = start..<max(start, end - 2)
    start = text.upperBound
    return text.isEmpty ? .incomplete : .token(.characterData(text))
  }

  private func malformed(_ reason: String, name: Range<Int>? = nil) -> Token {
    .malformed(DocumentError(reason), name: name ?? start..<start)
  }

  /// Drops the unread bytes except for the last `count`, which may be the beginning of the text being
  /// searched for.
  private mutating func keep(_ count: Int) -> Step {
    start = max(start, end - count)
    return .incomplete
  }

  /// Skips a text if the unread bytes begin with it, and returns whether they do.
  private mutating func skip(_ text: StaticString) -> Bool {
    let isNext = text.withUTF8Buffer { bytes[start..<end].starts(with: $0) }
    if isNext { start += text.utf8CodeUnitCount }
    return isNext
  }

  private func index(of text: StaticString, before limit: Int? = nil) -> Int? {
    let (start, end, length) = (start, limit ?? end, text.utf8CodeUnitCount)
    return bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var index = start
      while end - index >= length,
        let found = memchr(base + index, Int32(text.utf8Start.pointee), end - index - length + 1)
      {
        if memcmp(found, text.utf8Start, length) == 0 { return UnsafeRawPointer(found) - base }
        index = UnsafeRawPointer(found) - base + 1
      }
      return nil
    }
  }
}

// MARK: - Tags

/// A start tag: `<name …>` or `<name …/>`.
package struct XMLTag {
  package let name: Range<Int>
  package let isEmpty: Bool
  /// The range of the attributes that `XMLScanner.nextAttribute` has not returned yet.
  fileprivate(set) var rest: Range<Int>
}

extension XMLScanner {
  /// Scans the tag that begins at `start`.
  private mutating func tag() -> Step {
    let close = endOfTag()
    guard close.isFound || isAtEnd || end - start > Self.longestTag || close.index < end else {
      return .incomplete
    }
    var tag = start + 1..<close.index
    start = close.isFound ? close.index + 1 : close.index
    if close.hasControls, isLenient { dropControls(in: &tag) }
    let first = tag.isEmpty ? 0 : bytes[tag.lowerBound]
    if first == UInt8(ascii: "!") {
      // The `<!` begins a document type declaration that was not recognized.
      return !hasRoot && isLenient ? .skipped : .token(malformed("a document type declaration"))
    }
    guard close.isFound else { return .token(malformed("a tag without an end", name: word(in: tag))) }
    return .token(first == UInt8(ascii: "/") ? endTag(tag.dropFirst()) : startTag(tag))
  }

  private func endTag(_ tag: Range<Int>) -> Token {
    let name = word(in: tag)
    guard isLenient || spaceCount(in: name.upperBound..<tag.upperBound) == tag.upperBound - name.upperBound
    else { return malformed("an end tag with attributes", name: name) }
    return .end(name: name)
  }

  private mutating func startTag(_ tag: Range<Int>) -> Token {
    let isEmpty = !tag.isEmpty && bytes[tag.upperBound - 1] == UInt8(ascii: "/")
    let tag = isEmpty ? tag.dropLast() : tag
    let name = word(in: tag)
    guard !name.isEmpty else { return malformed("a tag without a name", name: name) }
    hasRoot = true
    return .start(XMLTag(name: name, isEmpty: isEmpty, rest: name.upperBound..<tag.upperBound))
  }

  /// Returns the position of the `>` that ends the tag. If the tag has no end, returns the position of the
  /// next `<`, or the end of the bytes.
  private func endOfTag() -> (index: Int, isFound: Bool, hasControls: Bool) {
    let (start, end) = (start, end)
    return bytes.withUnsafeBufferPointer { bytes in
      var hasControls = false
      var quote: UInt8?
      for index in start + 1..<end {
        let byte = bytes[index]
        if byte == UInt8(ascii: "<") { return (index, false, hasControls) }
        if Self.isControl(byte) { hasControls = true }
        if let open = quote {
          if byte == open { quote = nil }
        } else if byte == UInt8(ascii: ">") {
          return (index, true, hasControls)
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          quote = byte
        }
      }
      return (end, false, hasControls)
    }
  }

  /// Removes the control characters from a tag and shortens it. The bytes after the tag are not moved.
  private mutating func dropControls(in tag: inout Range<Int>) {
    var kept = tag.lowerBound
    for index in tag where !Self.isControl(bytes[index]) {
      bytes[kept] = bytes[index]
      kept += 1
    }
    droppedControls += tag.upperBound - kept
    tag = tag.lowerBound..<kept
  }

  /// Returns the next attribute of a tag. The value is the range between its quotes. Returns `nil` after the
  /// last one.
  package func nextAttribute(
    of tag: inout XMLTag
  ) throws(DocumentError) -> (name: Range<Int>, value: Range<Int>)? {
    var rest = tag.rest
    let isSpaced = skipSpace(&rest)
    guard !rest.isEmpty else { return nil }
    guard isLenient || isSpaced else { throw DocumentError("no space before an attribute") }
    let name = word(in: rest)
    rest = rest[name.upperBound...]
    skipSpace(&rest)
    guard !name.isEmpty, !rest.isEmpty, bytes[rest.lowerBound] == UInt8(ascii: "=") else {
      throw DocumentError("an attribute without a value")
    }
    rest = rest.dropFirst()
    skipSpace(&rest)
    guard let quote = rest.isEmpty ? nil : bytes[rest.lowerBound],
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { throw DocumentError("a value without quotes") }
    rest = rest.dropFirst()
    guard let close = bytes[rest].firstIndex(of: quote) else { throw DocumentError("a value without an end") }
    tag.rest = close + 1..<rest.upperBound
    return (name, rest.lowerBound..<close)
  }

  @discardableResult
  private func skipSpace(_ range: inout Range<Int>) -> Bool {
    let count = spaceCount(in: range)
    range = range.lowerBound + count..<range.upperBound
    return count > 0
  }

  private func spaceCount(in range: Range<Int>) -> Int {
    (range.firstIndex { !XMLText.isSpace(bytes[$0]) } ?? range.upperBound) - range.lowerBound
  }

  /// Returns the bytes up to a space or an equals sign.
  private func word(in range: Range<Int>) -> Range<Int> {
    let end = range.firstIndex { XMLText.isSpace(bytes[$0]) || bytes[$0] == UInt8(ascii: "=") }
    return range.lowerBound..<(end ?? range.upperBound)
  }

  /// Returns whether a byte is a control character that XML does not allow (XML 1.0, §2.2).
  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !XMLText.isSpace(byte) }
}
