/// A Double as decimal text.
enum DecimalText {
  /// The longest that is read: a Double needs no more than 24 characters, a decimal written out some more.
  static let longest = 64

  /// The shortest decimal that reads back as this number; whole numbers without a point.
  static func of(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// nil for anything but a decimal with an optional exponent, and for one beyond a Double's range.
  static func number(_ text: String) -> Double? {
    // Double would also read hexadecimal, "nan" and "inf".
    let characters = text.utf8
    guard characters.count <= longest, let first = characters.first, first != UInt8(ascii: "+"),
      characters.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text),
      number.isFinite
    else { return nil }
    return number
  }
}
