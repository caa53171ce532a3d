internal import Foundation

/// How a payload is written: one JSON object, its keys sorted, so that equal data are equal bytes.
enum MessageText {
  /// - Throws: `EncodingError` for a number that JSON cannot hold.
  static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }
}
