import ClinicalDocument
import Glibc

/// Reads the tags of an export one after another, through one buffer.
///
/// An export is attributes alone: text between tags is passed over. The document type declaration is passed
/// over unread, up to the root, because that of iOS 16 is not well formed; so no entity but XML's own exists,
/// and one that names itself a thousand times is a flaw of the tag that refers to it. A tag that cannot be
/// read is told as a flaw, and the next one is read: exports that are damaged somewhere are sound elsewhere.
struct TagScanner {
  enum Event {
    case start(name: String, attributes: [ExportElement.Attribute], isEmpty: Bool)
    case end(name: String)
    /// A tag that cannot be read.
    case flaw
  }

  /// More than the longest metadata that anybody saw.
  static let longestTag = 256 * 1024

  let file: ExportFile
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
  /// What stands where a `<` does.
  private mutating func tag() throws(ImportObstacle) -> Event {
    guard let close = try endOfTag() else { return .flaw }
    let tag = start + 1..<close
    start = close + 1
    if buffer[tag.lowerBound] == UInt8(ascii: "/") {
      let name = buffer[tag.dropFirst()].prefix { !Self.isSpace($0) }
      return .end(name: text(of: name.startIndex..<name.endIndex))
    }
    return startTag(tag) ?? .flaw
  }

  /// Where the `>` of the tag stands. In what is no tag the next `<` comes first: there reading goes on.
  private mutating func endOfTag() throws(ImportObstacle) -> Int? {
    var place = start + 1
    var open: UInt8?
    while true {
      while place < end {
        let octet = buffer[place]
        if octet == Self.less {
          start = place
          return nil
        }
        if let quote = open {
          if octet == quote { open = nil }
        } else if octet == Self.greater {
          guard place == start + 1 else { return place }
          start = place
          return nil
        } else if octet == Self.quote || octet == Self.apostrophe {
          open = octet
        }
        place += 1
      }
      let length = place - start
      guard length <= Self.longestTag, try refill() else {
        start = min(end, start + length)
        return nil
      }
      place = start + length
    }
  }

  private mutating func startTag(_ tag: Range<Int>) -> Event? {
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
    guard skipSpace(&place, before: end), buffer[place] == UInt8(ascii: "=") else { return nil }
    place += 1
    guard skipSpace(&place, before: end) else { return nil }
    let quote = buffer[place]
    guard quote == Self.quote || quote == Self.apostrophe else { return nil }
    place += 1
    guard let close = buffer[place..<end].firstIndex(of: quote) else { return nil }
    let value = place..<close
    place = close + 1
    return AttributeText.decoded(buffer[value]).map {
      ExportElement.Attribute(name: text(of: name), value: $0)
    }
  }

  private func text(of range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }

  private static func isSpace(_ octet: UInt8) -> Bool {
    octet == 0x20 || octet == 0x0A || octet == 0x09 || octet == 0x0D
  }
}
