import Foundation

/// One JSON object on one line, its keys sorted, so that equal data is equal text.
///
/// What does something to a terminal is escaped, also what JSON would let pass: the text stays the same.
enum JSONLine {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.isControl) else { return text }
    return text.unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar.isControl ? escape(scalar) : String(scalar)
    }
  }

  /// Only within strings is there anything to escape, and none of it takes more than four digits.
  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
