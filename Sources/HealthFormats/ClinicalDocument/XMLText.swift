import Foundation

/// Decodes the text of an XML document strictly. The encoding is UTF-16 if there is a byte order mark for it,
/// Latin 1 if the document declares it, and UTF-8 otherwise.
package enum XMLText {
  /// Converts a document to UTF-8.
  static func bytes(of document: Data) throws(DocumentError) -> [UInt8] {
    guard let text = decoded(document), text.unicodeScalars.allSatisfy(isAllowed) else {
      throw DocumentError("not text in UTF-8, UTF-16 or ISO 8859-1")
    }
    return Array(text.utf8)
  }

  private static func decoded(_ document: Data) -> String? {
    let start = Array(document.prefix(200))
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      return String(validating: document.dropFirst(3), as: UTF8.self)
    }
    if start.starts(with: [0xFF, 0xFE]) { return utf16(document.dropFirst(2)) { $0 | $1 << 8 } }
    if start.starts(with: [0xFE, 0xFF]) { return utf16(document.dropFirst(2)) { $0 << 8 | $1 } }
    if start.starts(with: [0x3C, 0x00]) { return utf16(document) { $0 | $1 << 8 } }
    if start.starts(with: [0x00, 0x3C]) { return utf16(document) { $0 << 8 | $1 } }
    if let declaration = declaration(of: start), isLatin1(declaration) {
      return String(decoding: document.map(UInt16.init), as: UTF16.self)
    }
    return String(validating: document, as: UTF8.self)
  }

  private static func utf16(_ bytes: Data, _ unit: (UInt16, UInt16) -> UInt16) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let bytes = Array(bytes)
    let units = stride(from: 0, to: bytes.count, by: 2).map { unit(UInt16(bytes[$0]), UInt16(bytes[$0 + 1])) }
    return String(validating: units, as: UTF16.self)
  }

  /// Returns the XML declaration, `<?xml … ?>`, or nil if the document has none.
  private static func declaration(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard bytes.starts(with: Array("<?xml ".utf8)) else { return nil }
    return zip(bytes.indices, bytes.indices.dropFirst())
      .first { bytes[$0] == UInt8(ascii: "?") && bytes[$1] == UInt8(ascii: ">") }
      .map { bytes[...$0.1] }
  }

  private static func isLatin1(_ declaration: ArraySlice<UInt8>) -> Bool {
    String(decoding: declaration, as: UTF8.self).uppercased().contains("ISO-8859-1")
  }

  /// Returns whether XML 1.0 allows a character (§2.2).
  package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xA, 0xD: true
    case 0..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }
}

// MARK: - References

extension XMLText {
  /// Maximum length of a reference after its ampersand: enough for `#x10FFFF;` with some leading zeros.
  package static let longestReference = 16

  /// Replaces references such as `&amp;` with their characters. In an attribute, also replaces line breaks
  /// and tabs with spaces (XML 1.0, §3.3.3).
  ///
  /// - Returns: `nil` if XML does not allow a character or reference, or the text is not UTF-8.
  package static func resolved(_ raw: ArraySlice<UInt8>, isAttribute: Bool) -> String? {
    guard raw.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "&") }) else {
      return String(validating: raw, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count)
    var rest = raw
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "&"):
        guard let end = rest.prefix(longestReference).firstIndex(of: UInt8(ascii: ";")),
          let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
        else { return nil }
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        rest = rest[(end + 1)...]
      case 0x09, 0x0A, 0x0D: bytes.append(isAttribute ? 0x20 : byte)
      case ..<0x20: return nil
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns the character for a reference such as `amp`, `#38` or `#x26`. Returns `nil` for unknown entities
  /// and for characters that XML does not allow.
  package static func scalar(_ reference: String) -> Unicode.Scalar? {
    if let scalar = named[reference] { return scalar }
    guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
    let digits = reference.dropFirst()
    let number = digits.first == "x" ? number(digits.dropFirst(), radix: 16) : number(digits, radix: 10)
    return number.flatMap(Unicode.Scalar.init).flatMap { isAllowed($0) ? $0 : nil }
  }

  private static func number(_ digits: Substring, radix: Int) -> UInt32? {
    // Check the first digit, because `UInt32` would also accept a sign.
    digits.first.flatMap { $0.isHexDigit ? UInt32(digits, radix: radix) : nil }
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]
}
