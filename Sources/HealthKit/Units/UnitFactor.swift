/// One factor of a unit: a symbol with its prefix, raised to a power that is never 0.
struct UnitFactor: Hashable, Sendable {
  var base: BaseUnit.Index
  var prefix: HKMetricPrefix = .none
  /// In g/mol; only for a mole, and 0 where none is given.
  var molarMass = 0.0
  var exponent = 1

  private var row: BaseUnit { BaseUnit.table[base] }

  var dimensionality: Dimensionality { molarMass > 0 ? .mass : row.dimensionality }
  var offset: Double { row.offset }

  /// The size of the symbol with its prefix, not raised to the power.
  var numerator: Double {
    (molarMass > 0 ? molarMass : row.numerator) * Self.powerOfTen(max(prefix.exponent, 0))
  }

  var denominator: Double { row.denominator * Self.powerOfTen(max(-prefix.exponent, 0)) }

  /// Exact up to 10^15, the greatest a prefix needs; `pow` need not be.
  private static func powerOfTen(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { power, _ in power * 10 }
  }

  func isSameSymbol(as other: UnitFactor) -> Bool {
    base == other.base && prefix == other.prefix && molarMass == other.molarMass
  }

  /// The order of the factors of a unit string.
  func precedes(_ other: UnitFactor) -> Bool {
    (base, prefix.rawValue, molarMass) < (other.base, other.prefix.rawValue, other.molarMass)
  }

  /// The symbol, with `^n` if the power is not 1.
  func text(raisedTo power: Int) -> String {
    var text = prefix.symbol + row.symbol
    if molarMass > 0 { text += "<\(molarMass.shortest)>" }
    return power == 1 ? text : "\(text)^\(power)"
  }
}

extension [UnitFactor] {
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

extension Double {
  /// The shortest decimal that reads back as this number, without a trailing ".0".
  var shortest: String {
    let text = "\(self)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
