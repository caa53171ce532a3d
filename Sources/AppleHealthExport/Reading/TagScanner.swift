import Glibc
import HealthFormats

/// Reads the tags of an export one after another, through one buffer.
///
/// An export is attributes alone: text between tags is skipped. The document type declaration is skipped up
/// to the root, because that of iOS 16 is not well formed; so there are no entities but XML's own.
///
/// Exports that are damaged somewhere are sound elsewhere: a tag that cannot be read is reported, and the
/// next one is read. A character that XML does not have is dropped and counted; the tag around it is kept.
struct TagScanner {
  enum Event {
    case start(name: String, attributes: [ExportElement.Attribute], isEmpty: Bool)
    case end(name: String)
    /// A tag that cannot be read. The name is empty if it cannot be read either, and begins with a slash in
    /// an end tag.
    case flaw(name: String)
  }

  /// More than the longest metadata that anybody saw.
  static let longestTag = 256 * 1024

  /// Number of characters that were dropped: control characters, malformed UTF-8, references to no character
  /// of XML's, and ampersands that begin no reference.
  private(set) var droppedCharacters = 0
  private let file: ExportFile
  private var buffer = [UInt8](repeating: 0, count: 2 * longestTag)
  private var start = 0
  private var end = 0
  private var isAtEnd = false

  init(_ file: ExportFile) { self.file = file }

  /// nil at the end of the file.
  mutating func next() throws(ImportObstacle) -> Event? {
    while try seek(Self.less) {
      if try isHere("<!--") {
        try pass("-->")
      } else if try isHere("<?") {
        try pass("?>")
      } else if try isHere("<![CDATA[") {
        try pass("]]>")
      } else if try isHere("<!DOCTYPE") {
        try passBefore("<HealthData")
      } else if try isHere("<!") {
        try pass(">")
      } else {
        return try tag()
      }
    }
    return nil
  }

  private static let less = UInt8(ascii: "<")
  private static let greater = UInt8(ascii: ">")
  private static let quote = UInt8(ascii: "\"")
  private static let apostrophe = UInt8(ascii: "'")
}

// MARK: - The buffer

extension TagScanner {
  /// Makes room at the end and reads once.
  /// - Returns: whether anything came.
  private mutating func refill() throws(ImportObstacle) -> Bool {
    guard !isAtEnd else { return false }
    if start > 0 {
      let kept = start..<end
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + kept.lowerBound, kept.count)
      }
      end -= start
      start = 0
    }
    guard end < buffer.count else { return false }
    let (file, filled) = (file, end)
    let result: Result<Int, ImportObstacle> = buffer.withUnsafeMutableBytes { bytes in
      do throws(ImportObstacle) {
        return .success(try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])))
      } catch {
        return .failure(error)
      }
    }
    let count = try result.get()
    end += count
    isAtEnd = count == 0
    return count > 0
  }

  /// Passes over what comes before an octet.
  /// - Returns: false where none comes any more.
  private mutating func seek(_ octet: UInt8) throws(ImportObstacle) -> Bool {
    while true {
      if let place = index(of: octet, from: start) {
        start = place
        return true
      }
      start = end
      guard try refill() else { return false }
    }
  }

  private func index(of octet: UInt8, from place: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard place < end, let base = bytes.baseAddress,
        let found = memchr(base + place, Int32(octet), end - place)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  private mutating func isHere(_ text: StaticString) throws(ImportObstacle) -> Bool {
    while end - start < text.utf8CodeUnitCount {
      guard try refill() else { return false }
    }
    return text.withUTF8Buffer { text in buffer[start..<start + text.count].elementsEqual(text) }
  }

  private mutating func pass(_ text: StaticString) throws(ImportObstacle) {
    start += 1
    try passBefore(text)
    start = min(end, start + text.utf8CodeUnitCount)
  }

  /// Passes over what comes before a text; over all, where it does not come.
  private mutating func passBefore(_ text: StaticString) throws(ImportObstacle) {
    let first = text.withUTF8Buffer { $0[0] }
    while try seek(first) {
      if try isHere(text) { return }
      start = min(end, start + 1)
    }
  }
}

// MARK: - Tags

extension TagScanner {
  /// Reads the tag whose `<` is at `start`.
  private mutating func tag() throws(ImportObstacle) -> Event {
    var hasControls = false
    let close = try endOfTag(&hasControls)
    var tag = start + 1..<close.index
    start = close.isSound ? close.index + 1 : close.index
    if hasControls { dropControls(in: &tag) }
    var place = tag.lowerBound
    let name = word(&place, before: tag.upperBound)
    guard close.isSound, !name.isEmpty else { return .flaw(name: text(of: name)) }
    if buffer[tag.lowerBound] == UInt8(ascii: "/") { return .end(name: text(of: name.dropFirst())) }
    return startTag(tag) ?? .flaw(name: text(of: name))
  }

  /// Removes the control characters from a tag. The bytes after the tag stay in place.
  private mutating func dropControls(in tag: inout Range<Int>) {
    var kept = tag.lowerBound
    for index in tag where !Self.isControl(buffer[index]) {
      buffer[kept] = buffer[index]
      kept += 1
    }
    droppedCharacters += tag.upperBound - kept
    tag = tag.lowerBound..<kept
  }

  /// Returns the index of the tag's `>`. If it has none, reading goes on at the next `<`, and that is
  /// returned.
  ///
  /// - Parameter hasControls: Set if there are control characters in the tag.
  private mutating func endOfTag(
    _ hasControls: inout Bool
  ) throws(ImportObstacle) -> (index: Int, isSound: Bool) {
    var place = start + 1
    var open: UInt8?
    while true {
      while place < end {
        let octet = buffer[place]
        if octet == Self.less { return (place, false) }
        if Self.isControl(octet) { hasControls = true }
        if let quote = open {
          if octet == quote { open = nil }
        } else if octet == Self.greater {
          return (place, place > start + 1)
        } else if octet == Self.quote || octet == Self.apostrophe {
          open = octet
        }
        place += 1
      }
      let length = place - start
      guard length <= Self.longestTag, try refill() else { return (min(end, start + length), false) }
      place = start + length
    }
  }

  private mutating func startTag(_ tag: Range<Int>) -> Event? {
    guard !tag.isEmpty else { return nil }
    let isEmpty = buffer[tag.upperBound - 1] == UInt8(ascii: "/")
    let tag = tag.lowerBound..<tag.upperBound - (isEmpty ? 1 : 0)
    var place = tag.lowerBound
    let name = word(&place, before: tag.upperBound)
    guard !name.isEmpty else { return nil }
    var attributes: [ExportElement.Attribute] = []
    while skipSpace(&place, before: tag.upperBound) {
      guard let attribute = attribute(&place, before: tag.upperBound) else { return nil }
      attributes.append(attribute)
    }
    return .start(name: text(of: name), attributes: attributes, isEmpty: isEmpty)
  }

  /// - Returns: whether anything but space comes.
  private func skipSpace(_ place: inout Int, before end: Int) -> Bool {
    while place < end, Self.isSpace(buffer[place]) { place += 1 }
    return place < end
  }

  private func word(_ place: inout Int, before end: Int) -> Range<Int> {
    let first = place
    while place < end, !Self.isSpace(buffer[place]), buffer[place] != UInt8(ascii: "=") { place += 1 }
    return first..<place
  }

  private mutating func attribute(_ place: inout Int, before end: Int) -> ExportElement.Attribute? {
    let name = word(&place, before: end)
    guard !name.isEmpty, skipSpace(&place, before: end), buffer[place] == UInt8(ascii: "=") else {
      return nil
    }
    place += 1
    guard skipSpace(&place, before: end) else { return nil }
    let quote = buffer[place]
    guard quote == Self.quote || quote == Self.apostrophe else { return nil }
    place += 1
    guard let close = buffer[place..<end].firstIndex(of: quote) else { return nil }
    let value = place..<close
    place = close + 1
    return ExportElement.Attribute(
      name: text(of: name), value: AttributeText.decoded(buffer[value], &droppedCharacters))
  }

  /// A name. Malformed UTF-8 in it is dropped.
  private mutating func text(of range: Range<Int>) -> String {
    AttributeText.withoutMalformed(buffer[range], &droppedCharacters)
  }

  /// A character below the space that XML does not have (XML 1.0, §2.2).
  private static func isControl(_ octet: UInt8) -> Bool { octet < 0x20 && !isSpace(octet) }

  private static func isSpace(_ octet: UInt8) -> Bool {
    octet == 0x20 || octet == 0x0A || octet == 0x09 || octet == 0x0D
  }
}
