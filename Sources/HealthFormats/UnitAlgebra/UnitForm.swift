/// A unit as a value, with its factors and derived properties.
///
/// A unit string follows this grammar:
/// ```
/// unit     = null | product [ "/" product ]      one slash; products bind first on both sides
/// null     = "" | "(" null ")"
/// product  = factor { ( "." | "*" | "·" ) factor }
/// factor   = ( symbol | "(" product ")" | "1" ) [ "^" [ "-" ] digits ]
/// symbol   = [ prefix ] name [ "<" molar mass ">" ]
/// ```
/// A text is looked up as a symbol first, and then as a prefix with a symbol: `min` is a minute, and `ft` is
/// a foot.
public struct UnitForm: Sendable {
  /// The factors, sorted. Each symbol occurs once, and no power is 0. Units are equal if their factors are.
  public let factors: [UnitFactor]
  /// The dimension, which is the same for all convertible units.
  public let dimensionality: Dimensionality
  /// The unit string in normal form: factors joined by `·`, with negative powers after a single `/`. Parsing
  /// it results in an equal unit.
  public let unitString: String
  let scale: UnitScale
  private let toSize: UnitConversion

  /// Creates a unit.
  /// - Parameter factors: Factors as returned by `product(with:power:)`.
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

  /// Parses a unit string.
  /// - Throws: ``UnitError``.
  public init(parsing string: String) throws(UnitError) {
    self.init(try UnitParser.parse(string))
  }

  /// Returns whether the units can be converted into each other.
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

  /// Returns the zero of the unit's temperature scale. It is absolute zero unless the only factor is a
  /// temperature with power 1.
  private static func zero(of factors: [UnitFactor]) -> TemperatureZero {
    guard factors.count == 1, let only = factors.first, only.exponent == 1 else { return .absolute }
    return only.zero
  }

  /// Returns the conversion to a compatible unit.
  public func conversion(to other: UnitForm) -> UnitConversion {
    Self.conversion(scale, Self.zero(of: factors), to: other.scale, Self.zero(of: other.factors))
  }

  /// Converts a value to a compatible unit.
  public func convert(_ value: Double, to other: UnitForm) -> Double {
    conversion(to: other).convert(value)
  }

  /// Returns the size of a value in terms of g, m, s and their products.
  public func size(of value: Double) -> Double { toSize.convert(value) }
}
