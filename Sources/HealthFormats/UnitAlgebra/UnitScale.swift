import Foundation

/// The size of a unit relative to products of g, m and s: a fraction times a power of π.
///
/// The fraction is exact if it fits into 128-bit integers. If it does not, as for `Gm^40`, there is only an
/// approximation.
struct UnitScale: Hashable, Sendable {
  /// The exact size without the power of π, or nil if it does not fit into 128-bit integers.
  private(set) var exact: ExactRatio?
  private var approximate: Double
  private(set) var powerOfPi: Int

  static let one = UnitScale(.one)

  init(_ ratio: ExactRatio, powerOfPi: Int = 0) {
    exact = ratio
    approximate = Double(ratio.numerator) / Double(ratio.denominator)
    self.powerOfPi = powerOfPi
  }

  init(_ number: Double) {
    exact = ExactRatio(exactly: number)
    approximate = number
    powerOfPi = 0
  }

  mutating func multiply(by other: UnitScale, power: Int = 1) {
    if let mine = exact, let theirs = other.exact?.raised(toPower: power) {
      exact = mine.multiplied(by: theirs)
    } else {
      exact = nil
    }
    approximate *= pow(other.approximate, Double(power))
    powerOfPi += other.powerOfPi * power
  }

  /// Returns the conversion of values in this unit to one of another size.
  func conversion(to other: UnitScale) -> UnitConversion {
    if let ratio = ratio(to: other) { return UnitConversion(ExactConversion(ratio)) }
    if let exact, let theirs = other.exact, powerOfPi == other.powerOfPi {
      return UnitConversion(ExactConversion(exact, over: theirs))
    }
    return UnitConversion(
      approximately: approximate / other.approximate * pow(.pi, Double(powerOfPi - other.powerOfPi)))
  }

  /// Returns the ratio of this size to another one, or nil if it does not fit into 128-bit integers.
  func ratio(to other: UnitScale) -> ExactRatio? {
    guard let exact, let theirs = other.exact, let ratio = exact.multiplied(by: theirs.reciprocal)
    else { return nil }
    guard powerOfPi != other.powerOfPi else { return ratio }
    return ExactRatio.pi.raised(toPower: powerOfPi - other.powerOfPi).flatMap(ratio.multiplied)
  }
}

/// A positive fraction of 128-bit integers in lowest terms.
struct ExactRatio: Hashable, Sendable {
  let numerator: UInt128
  let denominator: UInt128

  static let one = ExactRatio(1)
  /// A fraction close to π: a convergent of its continued fraction with a relative error of about 2⁻¹²⁷.
  static let pi = ExactRatio(2_646_693_125_139_304_345, 842_468_587_426_513_207)

  init(_ numerator: UInt128, _ denominator: UInt128 = 1) {
    let divisor = Self.greatestCommonDivisor(numerator, denominator)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  /// Creates a ratio of integers without a common divisor.
  private init(lowest numerator: UInt128, _ denominator: UInt128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Creates the fraction that equals a number, or returns nil if the number is too large or too small.
  init?(exactly number: Double) {
    guard number > 0, number.isFinite else { return nil }
    let bits = UInt128(number.significandBitPattern | (1 << 52))
    let exponent = Int(number.exponent) - 52
    guard number.isNormal, (-120...60).contains(exponent) else { return nil }
    self.init(
      exponent > 0 ? bits << UInt128(exponent) : bits, exponent < 0 ? 1 << UInt128(-exponent) : 1)
  }

  /// Creates the power of ten of a metric prefix.
  init(powerOfTen exponent: Int) {
    let power = (0..<abs(exponent)).reduce(UInt128(1)) { power, _ in power * 10 }
    self.init(exponent < 0 ? 1 : power, exponent < 0 ? power : 1)
  }

  var reciprocal: ExactRatio { ExactRatio(lowest: denominator, numerator) }

  /// Returns the product, or nil if it does not fit into 128-bit integers.
  func multiplied(by other: ExactRatio) -> ExactRatio? {
    // Cancel common divisors first, so that the products are more likely to fit.
    let first = Self.greatestCommonDivisor(numerator, other.denominator)
    let second = Self.greatestCommonDivisor(other.numerator, denominator)
    let above = (numerator / first).multipliedReportingOverflow(by: other.numerator / second)
    let below = (denominator / second).multipliedReportingOverflow(by: other.denominator / first)
    guard !above.overflow, !below.overflow else { return nil }
    return ExactRatio(lowest: above.partialValue, below.partialValue)
  }

  /// Returns the power, or nil if it does not fit into 128-bit integers.
  func raised(toPower power: Int) -> ExactRatio? {
    let base = power < 0 ? reciprocal : self
    var result = ExactRatio.one
    guard base != .one else { return result }
    for _ in 0..<abs(power) {
      guard let next = result.multiplied(by: base) else { return nil }
      result = next
    }
    return result
  }

  private static func greatestCommonDivisor(_ first: UInt128, _ second: UInt128) -> UInt128 {
    if let first = UInt64(exactly: first), let second = UInt64(exactly: second) {
      return UInt128(narrowDivisor(first, second))
    }
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }

  /// Returns the greatest common divisor of 64-bit numbers. 64-bit division is many times faster than 128-bit
  /// division.
  private static func narrowDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}
