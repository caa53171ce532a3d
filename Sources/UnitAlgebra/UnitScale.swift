import Foundation

/// The size of a unit in g, m, s and their products: a fraction, times a power of π.
///
/// Kept exact for as long as it fits; a unit such as `Gm^40` has only its approximation.
struct UnitScale: Hashable, Sendable {
  private var exact: ExactRatio?
  private var approximate: Double
  private var powerOfPi: Int

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

  /// A number of this size in terms of another size: rounded once where the ratio and the product are exact.
  func convert(_ value: Double, to other: UnitScale) -> Double {
    guard let ratio = ratio(to: other) else {
      return value * (approximate / other.approximate) * pow(.pi, Double(powerOfPi - other.powerOfPi))
    }
    let numerator = Double(ratio.numerator)
    let denominator = Double(ratio.denominator)
    let product = value * numerator
    let converted = product.isFinite ? product / denominator : value / denominator * numerator
    return powerOfPi == other.powerOfPi
      ? converted : converted * pow(.pi, Double(powerOfPi - other.powerOfPi))
  }

  /// This size in terms of another, π aside; nil if it is not known exactly.
  func ratio(to other: UnitScale) -> ExactRatio? {
    guard let exact, let theirs = other.exact else { return nil }
    return exact.multiplied(by: theirs.reciprocal)
  }
}
