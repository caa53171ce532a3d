/// The rules for the names in a message. The bus closes the connection of whoever breaks them, so nothing
/// is sent unchecked. D-Bus specification, "Valid Names".
enum BusNames {
  private static let longest = 255

  /// Two elements or more with dots between, none empty and none with a digit in front.
  static func isInterface(_ text: String) -> Bool {
    let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= longest && elements.count >= 2 && elements.allSatisfy(isWord)
  }

  /// An error is named as an interface is.
  static func isError(_ text: String) -> Bool {
    isInterface(text)
  }

  static func isMember(_ text: String) -> Bool {
    text.utf8.count <= longest && isWord(text.utf8[...])
  }

  /// A unique name (`:1.42`) or a well-known one (`org.bluez`).
  static func isBus(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: ":") ? isUnique(text) : isWellKnown(text)
  }

  static func isUnique(_ text: String) -> Bool {
    guard text.utf8.first == UInt8(ascii: ":"), text.utf8.count <= longest else { return false }
    let elements = text.utf8.dropFirst().split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return elements.count >= 2 && elements.allSatisfy { !$0.isEmpty && $0.allSatisfy(isBusCharacter) }
  }

  static func isWellKnown(_ text: String) -> Bool {
    let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= longest && elements.count >= 2 && elements.allSatisfy(isBusElement)
  }

  /// The prefix in `arg0namespace`, which may also be of one element.
  static func isNamespace(_ text: String) -> Bool {
    let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= longest && elements.allSatisfy(isBusElement)
  }

  private static func isWord(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first, !NameCharacters.isDigit(first) else { return false }
    return text.allSatisfy(NameCharacters.isWord)
  }

  private static func isBusElement(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first, !NameCharacters.isDigit(first) else { return false }
    return text.allSatisfy(isBusCharacter)
  }

  private static func isBusCharacter(_ byte: UInt8) -> Bool {
    NameCharacters.isWord(byte) || byte == UInt8(ascii: "-")
  }
}
