import Foundation

/// A relation between two strings, which are compared byte by byte. To ignore case or diacritics, fold the
/// strings first.
enum TextRelation: String, Hashable, Codable, Sendable {
  case beginsWith
  case endsWith
  case contains
  case equals
  /// A wildcard match: `*` matches any characters, `?` matches one.
  case like

  /// Returns whether two strings have this relation.
  /// - Parameters:
  ///   - text: The string to test.
  ///   - other: The prefix, suffix, substring or pattern.
  func holds(_ text: String, _ other: String) -> Bool {
    switch self {
    case .beginsWith: text.utf8.starts(with: other.utf8)
    case .endsWith: text.utf8.reversed().starts(with: other.utf8.reversed())
    case .contains: Self.contains(Array(text.utf8), Array(other.utf8))
    case .equals: text.utf8.elementsEqual(other.utf8)
    case .like: Self.isLike(Array(text.unicodeScalars), Array(other.unicodeScalars))
    }
  }

  /// Searches with the Knuth–Morris–Pratt algorithm. A naive search takes quadratic time for some inputs,
  /// which an attacker could choose.
  private static func contains(_ text: [UInt8], _ other: [UInt8]) -> Bool {
    guard !other.isEmpty else { return true }
    // For each position in `other`, the length of the longest proper prefix of `other` that ends there.
    var borders = [0]
    var length = 0
    for byte in other.dropFirst() {
      while length > 0, other[length] != byte { length = borders[length - 1] }
      if other[length] == byte { length += 1 }
      borders.append(length)
    }
    length = 0
    for byte in text {
      while length > 0, other[length] != byte { length = borders[length - 1] }
      if other[length] == byte { length += 1 }
      if length == other.count { return true }
    }
    return false
  }

  /// Matches a pattern. After a mismatch, it only backtracks to the last `*`, because earlier ones already
  /// have their shortest match. The running time is at most proportional to the product of the lengths.
  private static func isLike(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
    var (position, index) = (0, 0)
    var star: (index: Int, position: Int)?
    while position < text.count {
      if index < pattern.count, pattern[index] == "*" {
        star = (index, position)
        index += 1
      } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
        index += 1
        position += 1
      } else if let last = star {
        star = (last.index, last.position + 1)
        (index, position) = (last.index + 1, last.position + 1)
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == "*" }
  }
}

/// Which differences to ignore when strings are compared: case, diacritics or both.
struct TextFolding: Hashable, Codable, Sendable {
  var `case` = false
  var diacritics = false

  /// Returns the string in a form without the differences to ignore.
  func folded(_ text: String) -> String {
    var options: String.CompareOptions = []
    if `case` { options.insert(.caseInsensitive) }
    if diacritics { options.insert(.diacriticInsensitive) }
    // A nil locale makes the result independent of the user's language.
    return options.isEmpty ? text : text.folding(options: options, locale: nil)
  }
}
