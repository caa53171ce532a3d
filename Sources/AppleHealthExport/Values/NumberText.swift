import HealthKit

/// Parses and formats numbers in an export.
enum NumberText {
  /// Parses a number.
  /// - Returns: `nil` if the text is not a finite decimal number.
  static func parse(_ text: String) -> Double? {
    let text = DecimalDigits.ascii(text)
    guard let first = text.utf8.first, (0x30...0x39).contains(first) || first == 0x2D || first == 0x2E,
      let number = Double(text), number.isFinite, !text.utf8.contains(UInt8(ascii: "x"))
    else { return nil }
    return number
  }

  /// Returns the shortest text that parses to the same number; whole numbers have no decimal point.
  static func text(_ number: Double) -> String {
    guard let whole = Int64(exactly: number), abs(whole) < 1 << 53, !(whole == 0 && number.sign == .minus)
    else { return "\(number)" }
    return String(whole)
  }
}

/// A quantity as one text, as in metadata: `20.5 degC`.
enum QuantityText {
  static func parse(_ text: String) -> HKQuantity? {
    guard let gap = text.firstIndex(of: " "), let value = NumberText.parse(String(text[..<gap])),
      let unit = try? HKUnit.validated(from: String(text[text.index(after: gap)...]))
    else { return nil }
    return HKQuantity(unit: unit, doubleValue: value)
  }

  static func text(_ quantity: HKQuantity) -> String {
    "\(NumberText.text(quantity.doubleValue(for: quantity.unit))) \(quantity.unit.unitString)"
  }
}

/// Converts decimal digits of any script to ASCII. An export uses the digits of the phone's language.
enum DecimalDigits {
  /// Returns the text with ASCII digits, and with a decimal point in place of the Arabic decimal separator.
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

  /// Returns the value of a digit.
  /// - Returns: `nil` for a character that is not a decimal digit.
  static func value(_ scalar: Unicode.Scalar) -> Int64? {
    if scalar.isASCII { return ("0"..."9").contains(scalar) ? Int64(scalar.value - 0x30) : nil }
    guard scalar.properties.numericType == .decimal else { return nil }
    return scalar.properties.numericValue.map { Int64($0) }
  }
}
