internal import Foundation

/// How a time stands in a message: ISO 8601 in UTC with microseconds, as in `hrgate samples --json`.
enum MessageTime {
  static func text(_ date: Date) -> String {
    let microseconds = Int64((date.timeIntervalSince1970 * 1e6).rounded())
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = fraction < 0 ? 1 : 0
    let whole = Date(timeIntervalSince1970: Double(seconds - borrow)).formatted(.iso8601).dropLast()
    let digits = String(fraction + borrow * 1_000_000)
    return whole + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
  }
}

/// How a payload is written: one JSON object, its keys sorted, so that equal data are equal bytes.
enum MessageText {
  /// - Throws: `EncodingError` for a number that JSON cannot hold.
  static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }
}
