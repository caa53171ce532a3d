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
    let scaled = scale.convert(value, to: other.scale)
    guard zero != other.zero, let ratio = scale.ratio(to: other.scale) else { return scaled }
    return scaled + zero.shift(scaledBy: ratio, to: other.zero)
  }

  /// A value of this unit in g, m, s and their products.
  func size(of value: Double) -> Double {
    let scaled = scale.convert(value, to: .one)
    return zero == .absolute
      ? scaled : scaled + zero.shift(scaledBy: scale.ratio(to: .one) ?? .one, to: .absolute)
  }
}
