package import Foundation

/// An encoder for JSON objects on one line with sorted keys, so that equal data has equal text. A `Date` is
/// encoded as a ``Timestamp``.
///
/// Characters that control a terminal are escaped, even if JSON does not require it. A JSON decoder returns
/// the original text.
package struct JSONLine: Sendable {
  private let encoder: JSONEncoder

  /// Creates an encoder.
  ///
  /// - Parameter isSnakeCase: Whether `heartRate` is written as `heart_rate`.
  package init(isSnakeCase: Bool = false) {
    encoder = JSONEncoder()
    if isSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Timestamp.text(date))
    }
  }

  /// Returns the JSON text of a value.
  ///
  /// - Throws: `EncodingError` for a number that JSON cannot represent.
  package func line(_ value: some Encodable) throws -> String {
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.isControl) else { return text }
    return text.unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar.isControl ? Self.escape(scalar) : String(scalar)
    }
  }

  /// Returns the JSON text of a value with the default options.
  package static func text(_ value: some Encodable) throws -> String { try JSONLine().line(value) }

  /// Returns the JSON text of a value in UTF-8.
  package static func bytes(_ value: some Encodable) throws -> [UInt8] { try Array(text(value).utf8) }

  /// Decodes what ``line(_:)`` encodes.
  ///
  /// - Throws: ``TimestampError`` for a time in another form; `DecodingError`.
  package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      guard let text = try? decoder.singleValueContainer().decode(String.self),
        let date = Timestamp.parse(text)
      else { throw TimestampError() }
      return date
    }
    return try decoder.decode(type, from: data)
  }

  /// Returns the JSON escape of a control character. All of them are below U+10000, so four hexadecimal
  /// digits are enough.
  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// A formatter for lines of comma-separated values (RFC 4180). Fields with a comma or a quote are quoted.
///
/// Each record is exactly one line: characters that end a line or control a terminal are escaped, because
/// names are chosen by users and other tools read the output line by line. An apostrophe is put before a text
/// that a spreadsheet would treat as a formula.
package enum CSVText {
  package static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") }

  private static func field(_ text: String) -> String {
    let plain = text.unicodeScalars.reduce(into: "") { plain, scalar in
      plain += scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
    }
    let harmless = isFormula(plain) ? "'" + plain : plain
    guard harmless.contains(where: { $0 == "," || $0 == "\"" }) else { return harmless }
    return "\"" + harmless.replacing("\"", with: "\"\"") + "\""
  }

  private static func isFormula(_ field: String) -> Bool {
    field.first.map { "=+-@".contains($0) } == true && Double(field) == nil
  }
}

extension Unicode.Scalar {
  /// Whether the character controls a terminal or ends a line.
  package var isControl: Bool {
    guard value < 0x20 || value >= 0x7F else { return false }
    return [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
      || properties.isBidiControl
  }
}
