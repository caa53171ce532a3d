import Foundation

/// The size of a unit in g, m, s and their products: a fraction, multiplied by a power of π.
///
/// It is exact if the fraction fits. A unit such as `Gm^40` has only an approximation.
struct UnitScale: Hashable, Sendable {
  /// The size without π.
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

  /// The size of `self` in terms of another size, for the conversion of values.
  func conversion(to other: UnitScale) -> UnitConversion {
    if let ratio = ratio(to: other) { return UnitConversion(ExactConversion(ratio)) }
    if let exact, let theirs = other.exact, powerOfPi == other.powerOfPi {
      return UnitConversion(ExactConversion(exact, over: theirs))
    }
    return UnitConversion(
      approximately: approximate / other.approximate * pow(.pi, Double(powerOfPi - other.powerOfPi)))
  }

  /// This size in terms of another; nil if it does not fit in a fraction.
  func ratio(to other: UnitScale) -> ExactRatio? {
    guard let exact, let theirs = other.exact, let ratio = exact.multiplied(by: theirs.reciprocal)
    else { return nil }
    guard powerOfPi != other.powerOfPi else { return ratio }
    return ExactRatio.pi.raised(toPower: powerOfPi - other.powerOfPi).flatMap(ratio.multiplied)
  }
}
