import Foundation

/// What a person is called whose store this user keeps: letters and digits of any language, with single
/// spaces, `-`, `_` and `'` between them.
///
/// It is the name of a folder, so there is nothing in it that means something to a path, and nothing that
/// cannot be seen. Two names that differ in capitals alone are one.
package struct PersonName: Sendable {
  /// As the folder is called.
  package let text: String
  /// The same for each way to write the name.
  let key: String

  private static let greatestLength = 64
  /// The longest name of a file.
  private static let greatestSize = 200

  /// - Throws: ``PersonFault/invalidName(_:)``.
  package init(_ text: String) throws(PersonFault) {
    let composed = text.precomposedStringWithCanonicalMapping
    guard (1...Self.greatestLength).contains(composed.count), composed.utf8.count <= Self.greatestSize,
      let first = composed.first, let last = composed.last, Self.isWord(first), Self.isWord(last),
      composed.allSatisfy({ Self.isWord($0) || " -_'".contains($0) }), !composed.contains("  ")
    else { throw .invalidName(text) }
    self.text = composed
    key = composed.lowercased().precomposedStringWithCanonicalMapping
  }

  init(text: String, key: String) { (self.text, self.key) = (text, key) }

  /// The one who keeps the stores, and has no folder.
  package var isOwner: Bool { key == "owner" }

  /// Letters with what is combined with them, and digits; no invisible characters, which would make two names
  /// look alike.
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
