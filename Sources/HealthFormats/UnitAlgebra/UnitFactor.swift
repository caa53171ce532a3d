/// One factor of a unit: a symbol with its prefix, raised to a power that is never 0.
public struct UnitFactor: Hashable, Sendable {
  var base: BaseUnit.Index
  var prefix: MetricPrefix = .none
  /// In g/mol; only for a mole, and 0 where none is given.
  var molarMass = 0.0
  var exponent = 1

  init(base: BaseUnit.Index, prefix: MetricPrefix = .none) {
    self.base = base
    self.prefix = prefix
  }

  /// - Parameter symbol: of a unit that is in the table; traps on another.
  public init(_ symbol: String, _ prefix: MetricPrefix = .none) {
    self.init(base: BaseUnit.index(symbol), prefix: prefix)
  }

  /// Moles of a substance, which are a mass.
  /// - Parameter molarMass: in g/mol.
  public static func mole(_ prefix: MetricPrefix, molarMass: Double) throws(UnitError) -> UnitFactor {
    guard let molarMass = MolarMass.canonical(molarMass) else { throw .molarMassNotPositive }
    var factor = UnitFactor(base: BaseUnit.mole, prefix: prefix)
    factor.molarMass = molarMass
    return factor
  }

  private var row: BaseUnit { BaseUnit.table[base] }

  var dimensionality: Dimensionality { molarMass > 0 ? .mass : row.dimensionality }
  var zero: TemperatureZero { row.zero }

  /// The size of the symbol with its prefix, not raised to the power.
  var scale: UnitScale {
    var scale = molarMass > 0 ? UnitScale(molarMass) : row.scale
    if prefix != .none { scale.multiply(by: UnitScale(ExactRatio(powerOfTen: prefix.exponent))) }
    return scale
  }

  func isSameSymbol(as other: UnitFactor) -> Bool {
    base == other.base && prefix == other.prefix && molarMass == other.molarMass
  }

  /// The order of the factors of a unit string, by which come out the forms that other programs expect:
  /// `mL/min·kg`, `mg/min·dL`, `mg/dL·s`, `kcal/hr·kg`, `min·count`.
  func precedes(_ other: UnitFactor) -> Bool {
    let mine = (rank, base, prefix.rawValue, molarMass)
    return mine < (other.rank, other.base, other.prefix.rawValue, other.molarMass)
  }

  /// Apple's order follows how its framework came to know the units. This one agrees with all that was
  /// observed.
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

  /// The symbol, with `^n` if the power is not 1.
  func text(raisedTo power: Int) -> String {
    var text = prefix.symbol + row.symbol
    if molarMass > 0 { text += "<\(MolarMass.text(molarMass))>" }
    return power == 1 ? text : "\(text)^\(power)"
  }
}

extension [UnitFactor] {
  /// What a unit string can say, and so what a unit can be.
  static let maximumExponent = 999
  static let maximumCount = 32

  /// Whether a unit of these factors has a string that reads back.
  var areWithinBounds: Bool {
    count <= Self.maximumCount && allSatisfy { abs($0.exponent) <= Self.maximumExponent }
  }

  /// The factors of the unit that a string names; `UnitForm` states the grammar.
  public init(parsing string: String) throws(UnitError) {
    self = try UnitParser.parse(string)
  }

  /// The product of two units' factors, the second raised to a power.
  /// - Throws: `outOfBounds` where the product has more factors or greater powers than a unit string can say.
  public func product(with others: [UnitFactor], power: Int) throws(UnitError) -> [UnitFactor] {
    guard !others.isEmpty else { return self }
    guard power.magnitude <= Self.maximumExponent else { throw .outOfBounds }
    let product = multiplied(by: others, power: power)
    guard product.areWithinBounds else { throw .outOfBounds }
    return product
  }

  /// The product of two units' factors: sorted, each symbol once, none with power 0.
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

  /// Positive powers, then a slash and the negative ones: `mL/min·kg`, `1/s`, `()`.
  var unitString: String {
    guard !isEmpty else { return "()" }
    let above = filter { $0.exponent > 0 }.map { $0.text(raisedTo: $0.exponent) }
    let below = filter { $0.exponent < 0 }.map { $0.text(raisedTo: -$0.exponent) }
    let numerator = above.isEmpty ? "1" : above.joined(separator: "·")
    return below.isEmpty ? numerator : numerator + "/" + below.joined(separator: "·")
  }
}
