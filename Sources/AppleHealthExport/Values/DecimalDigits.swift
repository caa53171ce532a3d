/// Decimal digits of any script. An export uses those of the phone's language.
enum DecimalDigits {
  /// Returns the text with ASCII digits, and with a point in place of the Arabic decimal separator.
  static func ascii(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.unicodeScalars.reduce(into: "") { ascii, scalar in
      if let digit = value(scalar) {
        ascii += String(digit)
      } else {
        ascii.unicodeScalars.append(scalar == "\u{66B}" ? "." : scalar)
      }
    }
  }

  /// - Returns: `nil` for a character that is not a decimal digit.
  static func value(_ scalar: Unicode.Scalar) -> Int64? {
    if scalar.isASCII { return ("0"..."9").contains(scalar) ? Int64(scalar.value - 0x30) : nil }
    guard scalar.properties.numericType == .decimal else { return nil }
    return scalar.properties.numericValue.map { Int64($0) }
  }
}
