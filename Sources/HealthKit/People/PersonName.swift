import Foundation

/// The name of a person: letters and digits of any language, with single spaces, `-`, `_` and `'` between
/// them.
///
/// The name is also a directory name, so it contains no path syntax and no invisible characters. Names that
/// differ in case only are equal.
package struct PersonName: Sendable {
  /// The name as shown to users. It is also the name of the person's directory.
  package let text: String
  /// The normalized name. It is equal for all spellings that count as the same name.
  let key: String

  /// Maximum length in characters.
  private static let greatestLength = 64
  /// Maximum size in bytes. File names are limited to 255 bytes, and some consist of the name and a suffix.
  private static let greatestSize = 200

  /// Creates a name.
  /// - Throws: ``PersonError/invalidName(_:)``.
  package init(_ text: String) throws(PersonError) {
    let composed = text.precomposedStringWithCanonicalMapping
    guard (1...Self.greatestLength).contains(composed.count), composed.utf8.count <= Self.greatestSize,
      let first = composed.first, let last = composed.last, Self.isWord(first), Self.isWord(last),
      composed.allSatisfy({ Self.isWord($0) || " -_'".contains($0) }), !composed.contains("  ")
    else { throw .invalidName(text) }
    self.text = composed
    key = composed.lowercased().precomposedStringWithCanonicalMapping
  }

  init(text: String, key: String) { (self.text, self.key) = (text, key) }

  /// Whether this is `owner`, the reserved name of the Unix user.
  package var isOwner: Bool { key == "owner" }

  /// Returns whether a character is a digit, or a letter with its combining marks. Invisible characters are
  /// not allowed, because with them, different names could look the same.
  private static func isWord(_ character: Character) -> Bool {
    guard let first = character.unicodeScalars.first else { return false }
    return isBase(first) && character.unicodeScalars.dropFirst().allSatisfy { isBase($0) || isMark($0) }
  }

  private static func isBase(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber:
      !scalar.properties.isDefaultIgnorableCodePoint
    default: false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark: !scalar.properties.isDefaultIgnorableCodePoint
    default: false
    }
  }
}

extension PersonName: Hashable, Comparable {
  package static func == (one: PersonName, other: PersonName) -> Bool { one.key == other.key }
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
  package static func < (one: PersonName, other: PersonName) -> Bool { one.key < other.key }
}

/// The reason why a person cannot be found, added, renamed or removed.
package enum PersonError: Error, Hashable {
  case invalidName(String)
  case unknown(PersonName)
  case taken(PersonName)
  /// A program has the person's store open, or a gateway uses their monitors. The text is a sentence that
  /// names that program or gateway.
  case inUse(PersonName, String)
  case file(operation: String, path: String, errno: Int32)
}

extension PersonError: CustomStringConvertible, LocalizedError {
  package var description: String {
    switch self {
    case .invalidName(let text):
      "\(Self.shown(text)) is not a valid name for a person: use at most 64 letters and digits, with single spaces, -, _ or ' between them"
    case .unknown(let name) where name.isOwner:
      "owner stands for yourself and cannot be added, renamed or removed; give the name of another person"
    case .unknown(let name):
      "there is no person \(name.text); list the people with: hrgate people, or add one with: hrgate people add \"\(name.text)\""
    case .taken(let name) where name.isOwner:
      "owner stands for yourself and always exists; choose another name"
    case .taken(let name):
      "a person named \(name.text) exists already; choose another name (hrgate people lists them)"
    case .inUse(let name, let reason): "\(name.text)'s data is in use: \(reason)"
    case .file(let operation, let path, let errno):
      "\(operation) \(path): \(String(cString: strerror(errno)))"
    }
  }

  package var errorDescription: String? { description }

  /// Returns a text without characters that control a terminal.
  private static func shown(_ text: String) -> String {
    guard !text.isEmpty else { return "an empty text" }
    return String(text.prefix(80).map { $0.unicodeScalars.allSatisfy(isShown) ? $0 : "?" })
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}
