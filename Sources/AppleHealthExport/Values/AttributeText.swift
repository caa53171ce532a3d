import HealthFormats

/// Decodes and encodes the values of XML attributes.
enum AttributeText {
  /// Decodes a value. Drops characters that XML does not allow, references to them, malformed UTF-8, and
  /// ampersands that do not begin a reference.
  ///
  /// - Parameter dropped: Incremented by the number of dropped characters.
  static func decoded(_ raw: ArraySlice<UInt8>, _ dropped: inout Int) -> String {
    XMLText.resolved(raw, isAttribute: true) ?? mended(raw, &dropped)
  }

  private static func mended(_ raw: ArraySlice<UInt8>, _ dropped: inout Int) -> String {
    var text = String.UnicodeScalarView()
    var rest = scalars(raw, &dropped)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "&":
        let reference = rest.prefix(XMLText.longestReference)
        let end = reference.firstIndex(of: ";")
        let name = String(String.UnicodeScalarView(reference[..<(end ?? reference.startIndex)]))
        let character = XMLText.scalar(name)
        if let character { text.append(character) } else { dropped += 1 }
        if let end, character != nil || isNumeric(name) { rest = rest[(end + 1)...] }
      case "\t", "\n", "\r": text.append(" ")
      case _ where XMLText.isAllowed(scalar): text.append(scalar)
      default: dropped += 1
      }
    }
    return String(text)
  }

  /// Returns whether a reference is numeric, such as `#11` or `#x0`.
  private static func isNumeric(_ name: String) -> Bool {
    guard name.hasPrefix("#") else { return false }
    let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
    return !digits.isEmpty && digits.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// Decodes UTF-8. Malformed bytes are dropped and counted.
  private static func scalars(_ raw: ArraySlice<UInt8>, _ dropped: inout Int) -> [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    var bytes = raw.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar): scalars.append(scalar)
      case .error: dropped += 1
      case .emptyInput: return scalars
      }
    }
  }

  static func withoutMalformed(_ raw: ArraySlice<UInt8>, _ dropped: inout Int) -> String {
    String(validating: raw, as: UTF8.self)
      ?? String(String.UnicodeScalarView(scalars(raw, &dropped)))
  }

  /// Returns a value encoded for an XML attribute. Characters that XML does not allow are replaced.
  static func encoded(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: needsReference) else { return text }
    return text.unicodeScalars.reduce(into: "") { encoded, scalar in
      switch scalar {
      case "&": encoded += "&amp;"
      case "<": encoded += "&lt;"
      case ">": encoded += "&gt;"
      case "\"": encoded += "&quot;"
      case _ where !XMLText.isAllowed(scalar): encoded += "\u{FFFD}"
      case _ where needsReference(scalar): encoded += "&#\(scalar.value);"
      default: encoded.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns whether an export can contain a text unchanged, because XML does not allow all Unicode
  /// characters (XML 1.0, §2.2).
  static func isStatable(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(XMLText.isAllowed) }

  /// Returns whether a character is written as a reference, such as `&#27;`. This includes characters that
  /// control a terminal, because exports are viewed in terminals.
  private static func needsReference(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x22, 0x26, 0x3C, 0x3E, 0xFFFE, 0xFFFF: return true
    case 0x20..<0x7F: return false
    default:
      let properties = scalar.properties
      return properties.isBidiControl
        || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
  }
}
