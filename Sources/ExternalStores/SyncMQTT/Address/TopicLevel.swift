/// Escapes text so that it can be one level of a topic (MQTT 5.0, sections 4.7 and 1.5.4).
///
/// Each byte of these characters is written as `%XX`: the separator `/`, the wildcards `+` and `#`, control
/// characters and noncharacters (which brokers may refuse), and `%`. Different texts have different levels,
/// and ordinary names do not change.
enum TopicLevel {
  static func escaped(_ text: String) -> String {
    // Write an empty text as a single %. No other text has this form, because every % in a text is escaped.
    if text.isEmpty { return "%" }
    return text.unicodeScalars.reduce(into: "") { level, scalar in
      if isAllowed(scalar) { level.unicodeScalars.append(scalar) } else { level += percent(scalar) }
    }
  }

  /// Returns whether a user may specify a text as part of a topic. Such a text is not escaped.
  static func isPlain(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.allSatisfy { isAllowed($0) || $0 == "%" }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "+", "#", "%": false
    default: scalar.properties.generalCategory != .control && !scalar.properties.isNoncharacterCodePoint
    }
  }

  private static func percent(_ scalar: Unicode.Scalar) -> String {
    UTF8.encode(scalar).map { bytes in
      bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    } ?? ""
  }
}

/// Escapes text so that it can be part of an ID in Home Assistant: `[a-zA-Z0-9_-]`.
enum ObjectID {
  /// Writes each byte of characters that are not allowed, and of `_`, as `_XX`. Different texts have
  /// different IDs.
  static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { id, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        id.append(Character(Unicode.Scalar(byte)))
      default: id += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
