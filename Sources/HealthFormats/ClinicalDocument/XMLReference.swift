/// What stands for a character: `&amp;`, `&#38;`, `&#x26;`.
package enum XMLReference {
  /// Text with its references replaced.
  static func resolved(_ raw: ArraySlice<UInt8>) throws(DocumentFlaw) -> String {
    var text = ""
    var cursor = XMLCursor(raw)
    while !cursor.isAtEnd {
      text += String(decoding: cursor.take { $0 != UInt8(ascii: "&") }, as: UTF8.self)
      guard cursor.take("&") else { break }
      let name = cursor.take { $0 != UInt8(ascii: ";") }
      guard cursor.take(";"), let scalar = scalar(String(decoding: name, as: UTF8.self)) else {
        throw DocumentFlaw("a reference to no character")
      }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  /// - Parameter name: what stands between the ampersand and the semicolon.
  /// - Returns: nil for an entity that is not XML's own, and for no character of XML's.
  package static func scalar(_ name: String) -> Unicode.Scalar? {
    if let scalar = named[name] { return scalar }
    guard name.utf8.count <= 15, name.utf8.first == UInt8(ascii: "#") else { return nil }
    let digits = name.dropFirst()
    let number = digits.first == "x" ? number(digits.dropFirst(), radix: 16) : number(digits, radix: 10)
    return number.flatMap(Unicode.Scalar.init).flatMap { XMLText.isAllowed($0) ? $0 : nil }
  }

  private static func number(_ digits: Substring, radix: Int) -> UInt32? {
    // A sign is not a digit.
    digits.first.flatMap { $0.isHexDigit ? UInt32(digits, radix: radix) : nil }
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]
}
