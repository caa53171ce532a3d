import Foundation

/// One JSON object on one line, its keys sorted, so that equal data is equal text.
///
/// What does something to a terminal is escaped, also what JSON would let pass: the text stays the same.
package struct JSONLine: Sendable {
  private let encoder: JSONEncoder

  /// - Parameter isSnakeCase: whether `heartRate` is written as `heart_rate`.
  package init(isSnakeCase: Bool = false) {
    encoder = JSONEncoder()
    if isSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// - Throws: `EncodingError` for a number that JSON cannot hold.
  package func line(_ value: some Encodable) throws -> String {
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.isControl) else { return text }
    return text.unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar.isControl ? Self.escape(scalar) : String(scalar)
    }
  }

  /// Of a value by itself.
  package static func text(_ value: some Encodable) throws -> String { try JSONLine().line(value) }

  /// The same in UTF-8.
  package static func bytes(_ value: some Encodable) throws -> [UInt8] { try Array(text(value).utf8) }

  /// Only within strings is there anything to escape, and none of it takes more than four digits.
  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
