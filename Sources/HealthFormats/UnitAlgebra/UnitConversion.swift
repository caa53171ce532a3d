import Foundation

/// Converts values of one unit to a compatible unit.
///
/// The result is the `Double` nearest to the exact value if the sizes of both units in g, m and s are
/// fractions of 128-bit integers. That is the case for all common units. Units with high powers, such as
/// `Gm^40`, are converted with an approximate factor.
public struct UnitConversion: Sendable {
  private let exact: ExactConversion?
  private let factor: Double

  init(_ exact: ExactConversion) {
    self.exact = exact
    factor = 1
  }

  /// Creates an approximate conversion.
  /// - Parameter factor: The approximate ratio of the units.
  init(approximately factor: Double) {
    exact = nil
    self.factor = factor
  }

  /// Returns the converted value.
  public func convert(_ value: Double) -> Double {
    guard value.isFinite, let exact else { return value * factor }
    return exact.convert(value)
  }
}

/// The function `(value · multiplier + offset) / divisor`, correctly rounded.
struct ExactConversion: Sendable {
  private let multiplier: WideInteger
  private let offset: Int128
  private let divisor: WideInteger
  private let isIdentity: Bool
  /// `multiplier`, `offset` and `divisor` as `Double`, or nil if one of them cannot be represented exactly.
  private let narrow: (multiplier: Double, offset: Double, divisor: Double)?

  /// Creates a multiplication by a ratio.
  init(_ ratio: ExactRatio) {
    self.init(ratio.numerator, 0, ratio.denominator)
  }

  /// Creates a multiplication by a ratio whose numerator or denominator needs more than 128 bits.
  /// - Parameters:
  ///   - size: The size of the source unit.
  ///   - other: The size of the target unit.
  init(_ size: ExactRatio, over other: ExactRatio) {
    multiplier = WideInteger(size.numerator) * other.denominator
    divisor = WideInteger(size.denominator) * other.numerator
    offset = 0
    isIdentity = multiplier == divisor
    narrow = nil
  }

  /// Creates a conversion between temperature scales: `(value + zero) · ratio - otherZero`. Returns nil if
  /// the numbers do not fit in 128 bits.
  init?(_ ratio: ExactRatio, from zero: TemperatureZero, to otherZero: TemperatureZero) {
    // The zeros are given in hundredths, so a common denominator of 100 makes all numbers integers.
    guard let numerator = Int128(exactly: ratio.numerator),
      let denominator = Int128(exactly: ratio.denominator)
    else { return nil }
    let products = [
      numerator.multipliedReportingOverflow(by: 100), denominator.multipliedReportingOverflow(by: 100),
      numerator.multipliedReportingOverflow(by: Int128(zero.hundredths)),
      denominator.multipliedReportingOverflow(by: Int128(otherZero.hundredths)),
    ]
    let offset = products[2].partialValue.subtractingReportingOverflow(products[3].partialValue)
    guard !products.contains(where: \.overflow), !offset.overflow else { return nil }
    self.init(
      UInt128(products[0].partialValue), offset.partialValue, UInt128(products[1].partialValue))
  }

  private init(_ multiplier: UInt128, _ offset: Int128, _ divisor: UInt128) {
    self.multiplier = WideInteger(multiplier)
    self.offset = offset
    self.divisor = WideInteger(divisor)
    isIdentity = multiplier == divisor && offset == 0
    if let multiplier = Self.double(multiplier), let magnitude = Self.double(offset.magnitude),
      let divisor = Self.double(divisor)
    {
      narrow = (multiplier, offset < 0 ? -magnitude : magnitude, divisor)
    } else {
      narrow = nil
    }
  }

  /// Returns the number as a `Double`, or nil if it cannot be represented exactly.
  private static func double(_ number: UInt128) -> Double? {
    UInt64(exactly: number).flatMap(Double.init(exactly:))
  }

  /// Converts a finite value.
  func convert(_ value: Double) -> Double {
    if isIdentity { return value }
    if value == 0, offset == 0 { return value }
    return quickly(value) ?? exactly(value)
  }

  /// Converts with `Double` arithmetic. Returns nil if its precision is not enough to round correctly.
  ///
  /// `sum + error` is the numerator and `quotient + correction` the result, both to about twice the precision
  /// of a `Double`. The products and remainders computed with `fma` are exact, because the bounds on the
  /// magnitudes exclude overflow and subnormal numbers. Only `error` (if there is an offset) and `correction`
  /// are rounded, with a relative error of at most 2⁻⁵¹, so the true correction is within `margin` of
  /// `correction`. If both ends of this range lead to the same result, it is the `Double` nearest to the true
  /// value.
  @inline(__always)
  private func quickly(_ value: Double) -> Double? {
    guard let narrow, value.magnitude >= 0x1p-900 || value == 0 else { return nil }
    let product = value * narrow.multiplier
    guard product.magnitude <= 0x1p1000 else { return nil }
    var (sum, error) = (product, fma(value, narrow.multiplier, -product))
    var isErrorExact = true
    if offset != 0 {
      let errorOfProduct = error
      sum = product + narrow.offset
      let added = sum - product
      let errorOfSum = (product - (sum - added)) + (narrow.offset - added)
      error = errorOfProduct + errorOfSum
      isErrorExact = error - errorOfProduct == errorOfSum && error - errorOfSum == errorOfProduct
    }
    let quotient = sum / narrow.divisor
    guard quotient.magnitude >= 0x1p-900 else { return nil }
    let remainder = fma(-quotient, narrow.divisor, sum)
    let rest = remainder + error
    let correction = rest / narrow.divisor
    var margin = correction.magnitude * 0x1p-50
    if offset != 0 { margin += error.magnitude / narrow.divisor * 0x1p-50 }
    let result = quotient + (correction - margin)
    if result == quotient + (correction + margin) { return result }
    // The result lies exactly halfway between two numbers. The direction of rounding is only certain if no
    // previous step was rounded.
    let isExact = isErrorExact && rest - remainder == error && rest - error == remainder
    return isExact && fma(correction, narrow.divisor, -rest) == 0 ? quotient + correction : nil
  }

  /// Converts with integer arithmetic, which is slower but always exact.
  private func exactly(_ value: Double) -> Double {
    let significand = value.isNormal ? value.significandBitPattern | (1 << 52) : value.significandBitPattern
    // |value| = significand · 2^exponent
    let exponent = (value.isNormal ? Int(value.exponent) : Int(Double.leastNormalMagnitude.exponent)) - 52
    let product = (multiplier * UInt128(significand)) << max(exponent, 0)
    let scaledOffset = WideInteger(offset.magnitude) << max(-exponent, 0)
    let scaledDivisor = divisor << max(-exponent, 0)
    let numerator: WideInteger
    var isNegative = value.sign == .minus
    if isNegative == (offset < 0) {
      numerator = product + scaledOffset
    } else if product < scaledOffset {
      numerator = scaledOffset - product
      isNegative.toggle()
    } else {
      numerator = product - scaledOffset
    }
    guard !numerator.isZero else { return 0 }
    let magnitude = numerator.dividedAndRounded(by: scaledDivisor)
    return isNegative ? -magnitude : magnitude
  }
}

/// A non-negative integer of any size.
struct WideInteger: Equatable, Comparable {
  /// The 32-bit digits of the number, least significant first, without leading zeros.
  private var words: [UInt32]

  init(_ number: UInt128) {
    words = (0..<4).map { UInt32(truncatingIfNeeded: number >> UInt128(32 * $0)) }
    trim()
  }

  private mutating func trim() {
    while words.last == 0 { words.removeLast() }
  }

  var isZero: Bool { words.isEmpty }
  private var bitWidth: Int { words.count * 32 - (words.last?.leadingZeroBitCount ?? 0) }

  static func < (one: WideInteger, other: WideInteger) -> Bool {
    guard one.words.count == other.words.count else { return one.words.count < other.words.count }
    return one.words.reversed().lexicographicallyPrecedes(other.words.reversed())
  }

  static func + (one: WideInteger, other: WideInteger) -> WideInteger {
    var (sum, carry) = (one, UInt64(0))
    for index in 0..<max(one.words.count, other.words.count) + 1 {
      if index == sum.words.count { sum.words.append(0) }
      carry += UInt64(sum.words[index]) + (index < other.words.count ? UInt64(other.words[index]) : 0)
      sum.words[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    sum.trim()
    return sum
  }

  /// Subtracts a number.
  /// - Precondition: `other` is not greater than `one`.
  static func - (one: WideInteger, other: WideInteger) -> WideInteger {
    var (difference, borrow) = (one, Int64(0))
    for index in one.words.indices {
      borrow += Int64(one.words[index]) - (index < other.words.count ? Int64(other.words[index]) : 0)
      difference.words[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
    difference.trim()
    return difference
  }

  static func * (one: WideInteger, other: UInt128) -> WideInteger {
    WideInteger(other).words.enumerated().reduce(WideInteger(0)) { sum, word in
      var (product, carry) = (one, UInt64(0))
      for index in product.words.indices {
        carry += UInt64(product.words[index]) * UInt64(word.element)
        product.words[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      product.words.append(UInt32(carry))
      product.trim()
      return sum + (product << (32 * word.offset))
    }
  }

  static func << (number: WideInteger, bits: Int) -> WideInteger {
    guard !number.words.isEmpty else { return number }
    var (shifted, carry) = (number, UInt64(0))
    for index in shifted.words.indices {
      carry |= UInt64(shifted.words[index]) << UInt64(bits % 32)
      shifted.words[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    shifted.words.append(UInt32(carry))
    shifted.words.insert(contentsOf: repeatElement(0, count: bits / 32), at: 0)
    shifted.trim()
    return shifted
  }

  /// Returns the `Double` nearest to the quotient, with ties to even.
  /// - Precondition: Both numbers are positive.
  func dividedAndRounded(by divisor: WideInteger) -> Double {
    // The quotient times 2^shift has 65 or 66 bits.
    let shift = 65 - (bitWidth - divisor.bitWidth)
    var remainder = self << max(shift, 0)
    let scaled = divisor << max(-shift, 0)
    var quotient: UInt128 = 0
    for bit in (0...66).reversed() {
      let part = scaled << bit
      guard part <= remainder else { continue }
      remainder = remainder - part
      quotient |= 1 << UInt128(bit)
    }
    // Set the lowest bit if there is a remainder, so that a quotient just above the halfway point is rounded
    // up.
    return Self.rounded(quotient << 1 | (remainder.isZero ? 0 : 1), exponent: -shift - 1)
  }

  /// Returns `number · 2^exponent`, rounded once even if the result is subnormal.
  /// - Parameter number: A number of 66 or 67 bits.
  private static func rounded(_ number: UInt128, exponent: Int) -> Double {
    let width = 128 - number.leadingZeroBitCount
    // The least significant bit of a subnormal number is 2^-1074.
    let dropped = max(width - 53, -1074 - exponent)
    guard dropped <= width else { return 0 }
    let kept = number >> UInt128(dropped)
    let rest = number - (kept << UInt128(dropped))
    let half = UInt128(1) << UInt128(dropped - 1)
    let roundsUp = rest > half || rest == half && kept % 2 == 1
    return scalbn(Double(kept + (roundsUp ? 1 : 0)), exponent + dropped)
  }
}
