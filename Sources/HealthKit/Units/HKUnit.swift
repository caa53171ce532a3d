public import Foundation

/// A unit of measure: a product of powers of symbols. Immutable; equal if the symbols and powers are.
///
/// A unit is made from a factory (`HKUnit.count()`), by the algebra (`unitDivided(by:)`) or from a string such as
/// `"count/min"`, whose grammar `UnitParser` states.
public final class HKUnit: NSObject, Sendable {
  let factors: [UnitFactor]
  let dimensionality: Dimensionality
  /// The normal form: factors joined by `·`, those with negative powers after a single `/`. Reads back as an equal
  /// unit.
  public let unitString: String
  private let numerator: Double
  private let denominator: Double

  /// - Parameter factors: as `multiplied(by:power:)` leaves them.
  init(_ factors: [UnitFactor]) {
    self.factors = factors
    unitString = factors.unitString
    var dimensionality = Dimensionality.none
    var numerator = 1.0
    var denominator = 1.0
    for factor in factors {
      dimensionality.multiply(by: factor.dimensionality, power: factor.exponent)
      let power = Double(abs(factor.exponent))
      let above = power == 1 ? factor.numerator : pow(factor.numerator, power)
      let below = power == 1 ? factor.denominator : pow(factor.denominator, power)
      numerator *= factor.exponent > 0 ? above : below
      denominator *= factor.exponent > 0 ? below : above
    }
    self.dimensionality = dimensionality
    self.numerator = numerator
    self.denominator = denominator
  }

  convenience init(_ symbol: String, _ prefix: HKMetricPrefix = .none) {
    self.init([UnitFactor(base: BaseUnit.index(symbol), prefix: prefix)])
  }

  /// The unit that a string names. Traps on a string that names none; `validated(from:)` throws instead.
  public convenience init(from string: String) {
    self.init(requiring { () throws(HKValidationError) in try UnitParser.parse(string) })
  }

  /// The unit that a string names, for strings that come from outside.
  public static func validated(from string: String) throws(HKValidationError) -> HKUnit {
    HKUnit(try UnitParser.parse(string))
  }

  /// Whether the unit has no factors at all (`()`); a ratio such as dL/L has.
  public func isNull() -> Bool { factors.isEmpty }

  func isCompatible(with other: HKUnit) -> Bool { dimensionality == other.dimensionality }

  /// The temperature offset, which counts only where the temperature stands alone.
  private var offset: Double {
    guard factors.count == 1, let only = factors.first, only.exponent == 1 else { return 0 }
    return only.offset
  }

  /// A value of this unit in another, compatible one. In an equal unit it stays as it is, to the bit.
  func convert(_ value: Double, to other: HKUnit) -> Double {
    if other === self || other == self { return value }
    if offset != 0 || other.offset != 0 {
      let base = value * numerator / denominator + offset
      return (base - other.offset) * other.denominator / other.numerator
    }
    return value * (numerator * other.denominator) / (denominator * other.numerator)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKUnit else { return false }
    return other === self || other.factors == factors
  }

  public override var hash: Int { factors.hashValue }
  public override var description: String { unitString }
}
