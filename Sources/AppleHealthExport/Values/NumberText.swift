/// A number in an export.
enum NumberText {
  /// - Returns: `nil` if the text is not a finite decimal number.
  static func parse(_ text: String) -> Double? {
    let text = DecimalDigits.ascii(text)
    guard let first = text.utf8.first, (0x30...0x39).contains(first) || first == 0x2D || first == 0x2E,
      let number = Double(text), number.isFinite, !text.utf8.contains(UInt8(ascii: "x"))
    else { return nil }
    return number
  }

  /// Returns the shortest text that parses to the same number; whole numbers have no point.
  static func text(_ number: Double) -> String {
    guard let whole = Int64(exactly: number), abs(whole) < 1 << 53, !(whole == 0 && number.sign == .minus)
    else { return "\(number)" }
    return String(whole)
  }
}
