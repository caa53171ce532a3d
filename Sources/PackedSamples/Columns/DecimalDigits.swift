/// Converts decimal numbers to integers without loss. For example, 36.6 with one decimal becomes 366.
enum DecimalDigits {
  /// Powers of ten, indexed by the number of decimals.
  private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10]
  /// The largest number up to which a `Double` can represent every integer.
  private static let greatest: Double = 0x1p53

  static func isKnown(decimals: Int) -> Bool { powersOfTen.indices.contains(decimals) }

  /// Returns the values as integers with the smallest possible number of decimals; `nil` if a value is not
  /// exactly a decimal number.
  static func digits(of values: [Double]) -> (decimals: Int, digits: [Int64])? {
    for decimals in powersOfTen.indices {
      if let digits = digits(of: values, decimals) { return (decimals, digits) }
    }
    return nil
  }

  /// - Parameter decimals: A number that `isKnown(decimals:)` accepts.
  /// - Returns: The values; `nil` for integers that `digits(of:)` never returns.
  static func values(of digits: [Int64], decimals: Int) -> [Double]? {
    let power = powersOfTen[decimals]
    var most: UInt64 = 0
    let values = [Double](unsafeUninitializedCapacity: digits.count) { values, initialized in
      digits.withUnsafeBufferPointer { digits in
        for place in digits.indices {
          // For a negative number, this is its magnitude minus 1, which does not affect the result of the
          // check below.
          most |= UInt64(bitPattern: digits[place] ^ digits[place] >> 63)
          values[place] = Double(digits[place])
        }
      }
      // Without decimals, no division is needed.
      if decimals > 0 { for place in digits.indices { values[place] /= power } }
      initialized = digits.count
    }
    // Numbers below this limit were converted without rounding.
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
      // Integers have no negative zero, so −0 fails this comparison and is not encoded as a decimal number.
      let digit = Int64(scaled)
      guard (Double(digit) / power).bitPattern == value.bitPattern else { return nil }
      digits.append(digit)
    }
    return digits
  }
}
