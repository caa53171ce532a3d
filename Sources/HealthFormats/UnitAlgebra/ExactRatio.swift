/// A positive fraction of whole numbers in lowest terms: what one unit is in terms of another, without
/// rounding.
struct ExactRatio: Hashable, Sendable {
  let numerator: UInt128
  let denominator: UInt128

  static let one = ExactRatio(1)
  /// A convergent of the continued fraction of π. Its relative error is 2⁻¹²⁷.
  static let pi = ExactRatio(2_646_693_125_139_304_345, 842_468_587_426_513_207)

  init(_ numerator: UInt128, _ denominator: UInt128 = 1) {
    let divisor = Self.greatestCommonDivisor(numerator, denominator)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  /// Of numbers that have no common divisor.
  private init(lowest numerator: UInt128, _ denominator: UInt128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The number itself, every bit of it; nil for one too great or too small.
  init?(exactly number: Double) {
    guard number > 0, number.isFinite else { return nil }
    let bits = UInt128(number.significandBitPattern | (1 << 52))
    let exponent = Int(number.exponent) - 52
    guard number.isNormal, (-120...60).contains(exponent) else { return nil }
    self.init(
      exponent > 0 ? bits << UInt128(exponent) : bits, exponent < 0 ? 1 << UInt128(-exponent) : 1)
  }

  /// 10 to a power that is a prefix's.
  init(powerOfTen exponent: Int) {
    let power = (0..<abs(exponent)).reduce(UInt128(1)) { power, _ in power * 10 }
    self.init(exponent < 0 ? 1 : power, exponent < 0 ? power : 1)
  }

  var reciprocal: ExactRatio { ExactRatio(lowest: denominator, numerator) }

  /// nil if the product does not fit.
  func multiplied(by other: ExactRatio) -> ExactRatio? {
    // Across first: what cancels need not fit.
    let first = Self.greatestCommonDivisor(numerator, other.denominator)
    let second = Self.greatestCommonDivisor(other.numerator, denominator)
    let above = (numerator / first).multipliedReportingOverflow(by: other.numerator / second)
    let below = (denominator / second).multipliedReportingOverflow(by: other.denominator / first)
    guard !above.overflow, !below.overflow else { return nil }
    return ExactRatio(lowest: above.partialValue, below.partialValue)
  }

  /// nil if the power does not fit.
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

  /// In half the width a division is many times as fast.
  private static func narrowDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}
