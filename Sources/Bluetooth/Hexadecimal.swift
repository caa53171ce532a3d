extension UInt8 {
  /// The byte as two lower-case hexadecimal digits.
  public var hexadecimal: String {
    let digits = String(self, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
}

extension Sequence where Element == UInt8 {
  /// The bytes as lower-case hexadecimal digits, two for each byte, without separators.
  public var hexadecimal: String {
    reduce(into: "") { $0 += $1.hexadecimal }
  }
}

extension Array where Element == UInt8 {
  /// Parses pairs of hexadecimal digits without separators.
  ///
  /// - Returns: `nil` for an odd number of digits or any other character.
  public init?(hexadecimal text: some StringProtocol) {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for character in text {
      guard let digit = character.hexDigitValue, character.isASCII else { return nil }
      if let first = high {
        bytes.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    self = bytes
  }
}
