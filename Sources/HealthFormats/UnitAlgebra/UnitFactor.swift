import Foundation

/// A factor of a unit: a symbol with a prefix, raised to a power, such as `km^2`. The power is not 0.
public struct UnitFactor: Hashable, Sendable {
  var base: BaseUnit.Index
  var prefix: MetricPrefix = .none
  /// The molar mass in g/mol if the symbol is a mole with a molar mass, otherwise 0.
  var molarMass = 0.0
  var exponent = 1

  init(base: BaseUnit.Index, prefix: MetricPrefix = .none) {
    self.base = base
    self.prefix = prefix
  }

  /// Creates a factor.
  /// - Parameter symbol: A symbol in the table of units. Traps for any other symbol.
  public init(_ symbol: String, _ prefix: MetricPrefix = .none) {
    self.init(base: BaseUnit.index(symbol), prefix: prefix)
  }

  /// Returns moles of a substance, which have the dimension of a mass.
  /// - Parameter molarMass: The molar mass in g/mol.
  /// - Throws: `molarMassNotPositive`.
  public static func mole(_ prefix: MetricPrefix, molarMass: Double) throws(UnitError) -> UnitFactor {
    guard let molarMass = MolarMass.canonical(molarMass) else { throw .molarMassNotPositive }
    var factor = UnitFactor(base: BaseUnit.mole, prefix: prefix)
    factor.molarMass = molarMass
    return factor
  }

  private var row: BaseUnit { BaseUnit.table[base] }

  var dimensionality: Dimensionality { molarMass > 0 ? .mass : row.dimensionality }
  var zero: TemperatureZero { row.zero }

  /// The size of the symbol with its prefix, without the power.
  var scale: UnitScale {
    var scale = molarMass > 0 ? UnitScale(molarMass) : row.scale
    if prefix != .none { scale.multiply(by: UnitScale(ExactRatio(powerOfTen: prefix.exponent))) }
    return scale
  }

  func isSameSymbol(as other: UnitFactor) -> Bool {
    base == other.base && prefix == other.prefix && molarMass == other.molarMass
  }

  /// Returns whether this factor comes before another one in a unit string. The order leads to the strings
  /// that other programs expect: `mL/min·kg`, `mg/min·dL`, `mg/dL·s`, `kcal/hr·kg`, `min·count`.
  func precedes(_ other: UnitFactor) -> Bool {
    let mine = (rank, base, prefix.rawValue, molarMass)
    return mine < (other.rank, other.base, other.prefix.rawValue, other.molarMass)
  }

  /// The rank of the symbol in the order of factors. Apple's order is not fixed: it depends on which units
  /// the process has used before. This order agrees with all observed unit strings.
  private var rank: Int {
    switch row.symbol {
    case "degC": 0
    case "m", "in", "ft", "yd", "mi": 1
    case "degF": 2
    case "g" where prefix == .none: 3
    case "min": 4
    case "Pa", "mmHg", "cmAq", "atm", "inHg": 5
    case "L", "fl_oz_us", "fl_oz_imp", "pt_us", "pt_imp", "cup_us", "cup_imp": 6
    case "hr": 7
    case "g", "oz", "lb", "st", "mol": 8
    case "s": 9
    case "IU": 10
    case "count": 11
    default: 12
    }
  }

  /// Returns the symbol, with `^n` if the power is not 1.
  func text(raisedTo power: Int) -> String {
    var text = prefix.symbol + row.symbol
    if molarMass > 0 { text += "<\(MolarMass.text(molarMass))>" }
    return power == 1 ? text : "\(text)^\(power)"
  }
}

extension [UnitFactor] {
  /// The limits for the exponent of a factor and for the number of factors in a unit.
  static let maximumExponent = 999
  static let maximumCount = 32

  /// Whether the unit string of these factors can be parsed again.
  var areWithinBounds: Bool {
    count <= Self.maximumCount && allSatisfy { abs($0.exponent) <= Self.maximumExponent }
  }

  /// Parses a unit string into its factors. See `UnitForm` for the grammar.
  /// - Throws: ``UnitError``.
  public init(parsing string: String) throws(UnitError) {
    self = try UnitParser.parse(string)
  }

  /// Returns the product of two units' factors, with the second unit raised to a power.
  /// - Throws: `outOfBounds` if the product has more factors or higher powers than a unit string can express.
  public func product(with others: [UnitFactor], power: Int) throws(UnitError) -> [UnitFactor] {
    guard !others.isEmpty else { return self }
    guard power.magnitude <= Self.maximumExponent else { throw .outOfBounds }
    let product = multiplied(by: others, power: power)
    guard product.areWithinBounds else { throw .outOfBounds }
    return product
  }

  /// Returns the product of two units' factors, with the second unit raised to a power. The factors are
  /// sorted, each symbol occurs once, and no power is 0.
  func multiplied(by others: [UnitFactor], power: Int) -> [UnitFactor] {
    var product = self
    for other in others {
      if let place = product.firstIndex(where: { $0.isSameSymbol(as: other) }) {
        product[place].exponent += other.exponent * power
      } else {
        product.append(other)
        product[product.count - 1].exponent *= power
      }
    }
    return product.filter { $0.exponent != 0 }.sorted { $0.precedes($1) }
  }

  /// The unit string: positive powers, then a slash and the negative powers, as in `mL/min·kg`, `1/s` and
  /// `()`.
  var unitString: String {
    guard !isEmpty else { return "()" }
    let above = filter { $0.exponent > 0 }.map { $0.text(raisedTo: $0.exponent) }
    let below = filter { $0.exponent < 0 }.map { $0.text(raisedTo: -$0.exponent) }
    let numerator = above.isEmpty ? "1" : above.joined(separator: "·")
    return below.isEmpty ? numerator : numerator + "/" + below.joined(separator: "·")
  }
}

/// Compares molar masses. A unit string prints them with 16 digits.
///
/// Masses with the same printed text are treated as equal.
enum MolarMass {
  /// The value of `HKUnitMolarMassBloodGlucose`, which is printed as 180.1558800000541.
  private static let bloodGlucose = 180.15588000005408

  static func text(_ mass: Double) -> String {
    String(format: "%.16g", mass)
  }

  /// Returns the number that represents all masses with the same printed text: `bloodGlucose` if it has that
  /// text, otherwise the number that the text parses to. Returns nil if the mass is not a positive number.
  static func canonical(_ mass: Double) -> Double? {
    guard mass > 0, mass.isFinite, let same = Double(text(mass)), same > 0, same.isFinite else { return nil }
    return text(same) == text(bloodGlucose) ? bloodGlucose : same
  }
}
