/// Any text as one level of a topic (MQTT 5.0, sections 4.7 and 1.5.4).
///
/// What a level cannot hold (`/`, and `+` and `#`, which are wildcards), what brokers may refuse (controls
/// and noncharacters) and `%` are written as `%XX` for each byte. So different texts stay different, and
/// ordinary names stay as they are.
enum TopicLevel {
  static func escaped(_ text: String) -> String {
    // No text gives a bare %, since each of a text's own is escaped.
    if text.isEmpty { return "%" }
    return text.unicodeScalars.reduce(into: "") { level, scalar in
      if isAllowed(scalar) { level.unicodeScalars.append(scalar) } else { level += percent(scalar) }
    }
  }

  /// Whether it can stand in a topic that the user wrote, without being escaped.
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

/// Any text as a part of what Home Assistant takes for an ID: `[a-zA-Z0-9_-]`.
enum ObjectID {
  /// Different texts stay different: what is not allowed, and `_`, is written as `_XX` for each byte.
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
