import Foundation

/// One JSON object on one line, its keys sorted, so that equal data is equal text: as `hrgate --json` prints.
struct JSONText {
  private let encoder: JSONEncoder

  /// - Parameter isSnakeCase: whether `heartRate` is written as `heart_rate`.
  init(isSnakeCase: Bool = false) {
    encoder = JSONEncoder()
    if isSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// What does something to a terminal is escaped, also what JSON would let pass: the text stays the same.
  func line(_ value: some Encodable) throws -> String {
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.doesSomething) else { return text }
    return text.unicodeScalars.reduce(into: "") { text, scalar in
      let digits = String(scalar.value, radix: 16)
      text +=
        scalar.doesSomething
        ? "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits : String(scalar)
    }
  }
}

extension Unicode.Scalar {
  /// To a terminal, or to whoever reads lines.
  var doesSomething: Bool {
    guard value < 0x20 || value >= 0x7F else { return false }
    return [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
      || properties.isBidiControl
  }
}
