/// A unit as a value: its factors, and what follows from them.
///
/// A string that names a unit follows this grammar:
/// ```
/// unit     = null | product [ "/" product ]      one slash; products bind first on both sides
/// null     = "" | "(" null ")"
/// product  = factor { ( "." | "*" | "·" ) factor }
/// factor   = ( symbol | "(" product ")" | "1" ) [ "^" [ "-" ] digits ]
/// symbol   = [ prefix ] name [ "<" molar mass ">" ]
/// ```
/// A name without a prefix is tried before one with (`min` is a minute, `ft` a foot).
public struct UnitForm: Sendable {
  /// Sorted, each symbol once, none with power 0. Two units are equal if these are.
  public let factors: [UnitFactor]
  public let dimensionality: Dimensionality
  /// The normal form: factors joined by `·`, those with negative powers after a single `/`. Reads back as an
  /// equal unit.
  public let unitString: String
  let scale: UnitScale
  private let toSize: UnitConversion

  /// - Parameter factors: as `product(with:power:)` leaves them.
  public init(_ factors: [UnitFactor]) {
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
    toSize = Self.conversion(scale, Self.zero(of: factors), to: .one, .absolute)
  }

  public init(parsing string: String) throws(UnitError) {
    self.init(try UnitParser.parse(string))
  }

  /// Whether the units convert into each other.
  @inlinable
  public func isCompatible(with other: UnitForm) -> Bool { dimensionality == other.dimensionality }

  private static func conversion(
    _ scale: UnitScale, _ zero: TemperatureZero, to otherScale: UnitScale, _ otherZero: TemperatureZero
  ) -> UnitConversion {
    guard zero != otherZero, let ratio = scale.ratio(to: otherScale),
      let conversion = ExactConversion(ratio, from: zero, to: otherZero)
    else { return scale.conversion(to: otherScale) }
    return UnitConversion(conversion)
  }

  /// The zero of the scale, which counts only for a temperature that stands alone.
  private static func zero(of factors: [UnitFactor]) -> TemperatureZero {
    guard factors.count == 1, let only = factors.first, only.exponent == 1 else { return .absolute }
    return only.zero
  }

  /// How values of this unit become values of another, compatible unit.
  public func conversion(to other: UnitForm) -> UnitConversion {
    Self.conversion(scale, Self.zero(of: factors), to: other.scale, Self.zero(of: other.factors))
  }

  /// A value of this unit in another, compatible one.
  public func convert(_ value: Double, to other: UnitForm) -> Double {
    conversion(to: other).convert(value)
  }

  /// A value of this unit in g, m, s and their products.
  public func size(of value: Double) -> Double { toSize.convert(value) }
}
