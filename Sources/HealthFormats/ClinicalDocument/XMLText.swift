import Foundation

/// The text of an XML document, strictly: UTF-16 if the bytes say so, Latin 1 if the document declares it,
/// else UTF-8.
enum XMLText {
  /// In UTF-8.
  static func bytes(of document: Data) throws(DocumentFlaw) -> [UInt8] {
    guard let text = decoded(document), text.unicodeScalars.allSatisfy(isAllowed) else {
      throw DocumentFlaw("not text in UTF-8, UTF-16 or ISO 8859-1")
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

  /// `<?xml … ?>`; nil if the document has none.
  private static func declaration(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard bytes.starts(with: Array("<?xml ".utf8)) else { return nil }
    return zip(bytes.indices, bytes.indices.dropFirst())
      .first { bytes[$0] == UInt8(ascii: "?") && bytes[$1] == UInt8(ascii: ">") }
      .map { bytes[...$0.1] }
  }

  private static func isLatin1(_ declaration: ArraySlice<UInt8>) -> Bool {
    String(decoding: declaration, as: UTF8.self).uppercased().contains("ISO-8859-1")
  }

  /// The characters of XML 1.0.
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xA, 0xD: true
    case 0..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}
