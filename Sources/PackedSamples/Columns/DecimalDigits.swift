/// Decimal numbers as whole numbers, where nothing is lost by it: 36.6 with one decimal is 366.
enum DecimalDigits {
  /// The powers of ten by which numbers are multiplied; a number of decimals is an index.
  private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10]
  /// Up to here each whole number is a `Double` of its own.
  private static let greatest: Double = 0x1p53

  static func isKnown(decimals: Int) -> Bool { powersOfTen.indices.contains(decimals) }

  /// The digits, with as few decimals as will do; nil unless each number is such a decimal, to the bit.
  static func digits(of values: [Double]) -> (decimals: Int, digits: [Int64])? {
    for decimals in powersOfTen.indices {
      if let digits = digits(of: values, decimals) { return (decimals, digits) }
    }
    return nil
  }

  /// - Parameter decimals: as `isKnown(decimals:)` allows.
  /// - Returns: nil for digits that `digits(of:)` does not make.
  static func values(of digits: [Int64], decimals: Int) -> [Double]? {
    let power = powersOfTen[decimals]
    var most: UInt64 = 0
    let values = [Double](unsafeUninitializedCapacity: digits.count) { values, initialized in
      digits.withUnsafeBufferPointer { digits in
        for place in digits.indices {
          // One less of those below zero, which makes no difference to where they exceed a power of two.
          most |= UInt64(bitPattern: digits[place] ^ digits[place] >> 63)
          values[place] = Double(digits[place])
        }
      }
      // A number divided by 1 is itself.
      if decimals > 0 { for place in digits.indices { values[place] /= power } }
      initialized = digits.count
    }
    // No whole number that a `Double` may round has so few bits.
    if most < UInt64(greatest) { return values }
    return digits.allSatisfy { $0.magnitude <= UInt64(greatest) } ? values : nil
  }

  private static func digits(of values: [Double], _ decimals: Int) -> [Int64]? {
    let power = powersOfTen[decimals]
    var digits: [Int64] = []
    digits.reserveCapacity(values.count)
    for value in values {
      let scaled = (value * power).rounded()
      guard scaled.magnitude <= greatest else { return nil }
      // Through the whole number, which has no negative zero.
      let digit = Int64(scaled)
      guard (Double(digit) / power).bitPattern == value.bitPattern else { return nil }
      digits.append(digit)
    }
    return digits
  }
}
