/// A unit as a value: its factors, and what follows from them.
struct UnitForm: Sendable {
  let factors: [UnitFactor]
  let dimensionality: Dimensionality
  /// The normal form.
  let unitString: String
  private let scale: UnitScale

  /// - Parameter factors: as `multiplied(by:power:)` leaves them.
  init(_ factors: [UnitFactor]) {
    self.factors = factors
    unitString = factors.unitString
    var dimensionality = Dimensionality.none
    var scale = UnitScale.one
    for factor in factors {
      dimensionality.multiply(by: factor.dimensionality, power: factor.exponent)
      scale.multiply(by: factor.scale, power: factor.exponent)
    }
    self.dimensionality = dimensionality
    self.scale = scale
  }

  /// Where the scale starts, which counts only for a temperature that stands alone.
  private var zero: TemperatureZero {
    guard factors.count == 1, let only = factors.first, only.exponent == 1 else { return .absolute }
    return only.zero
  }

  /// A value of this unit in another, compatible one.
  func convert(_ value: Double, to other: UnitForm) -> Double {
    convert(value, to: other.scale, other.zero)
  }

  /// A value of this unit in g, m, s and their products.
  func size(of value: Double) -> Double {
    convert(value, to: .one, .absolute)
  }

  private func convert(_ value: Double, to other: UnitScale, _ otherZero: TemperatureZero) -> Double {
    guard zero != otherZero, let ratio = scale.ratio(to: other) else {
      return scale.convert(value, to: other)
    }
    return zero.convert(value, ratio: ratio, to: otherZero)
  }
}
