import HealthKit

/// Converts HealthKit units to the Unified Code for Units of Measure (UCUM), which FHIR requires.
///
/// Apple's unit strings only look like UCUM: `hr`, `IU`, `mmHg`, `lb` and `in` are undefined there or mean
/// something else.
enum UCUM {
  static let system = "http://unitsofmeasure.org"

  /// Returns the UCUM code of a unit and the factor by which values must be multiplied, or `nil` if UCUM has
  /// no code for the unit.
  ///
  /// The factor is needed for percentages: 98 % is 0.98 in HealthKit and 98 in UCUM.
  static func code(for unit: HKUnit) -> (code: String, factor: Double)? {
    let halves = unit.unitString.split(separator: "/", maxSplits: 1).map(String.init)
    guard let first = halves.first, let above = product(first) else { return nil }
    let below = halves.count > 1 ? product(halves[1]) : Product()
    guard let below else { return nil }
    // A count is dimensionless in UCUM: `{count}` on its own, and omitted in a rate.
    let numerator = above.terms.filter { $0 != "{count}" }
    let denominator = below.terms.filter { $0 != "{count}" }
    var code = numerator.joined(separator: ".")
    if denominator.count == 1 { code += "/" + denominator[0] }
    if denominator.count > 1 { code += "/(" + denominator.joined(separator: ".") + ")" }
    if code.isEmpty { code = above.terms.contains("{count}") ? "{count}" : "1" }
    return (code, above.factor / below.factor)
  }

  private struct Product {
    var terms: [String] = []
    var factor = 1.0
  }

  private static func product(_ text: String) -> Product? {
    var product = Product()
    for factor in text.split(separator: "·") where factor != "1" && factor != "()" {
      let parts = factor.split(separator: "^", maxSplits: 1)
      guard let symbol = parts.first, let code = term(String(symbol.prefix { $0 != "<" })) else { return nil }
      if code == "%" { product.factor *= 100 }
      product.terms.append(code + (parts.count > 1 ? parts[1] : ""))
    }
    return product
  }

  /// Returns the UCUM code of one HealthKit symbol, including its prefix.
  private static func term(_ symbol: String) -> String? {
    if let code = whole[symbol] { return code }
    for (prefix, code) in prefixes where symbol.hasPrefix(prefix) {
      if let unit = prefixed[String(symbol.dropFirst(prefix.count))] { return code + unit }
    }
    return prefixed[symbol]
  }

  /// HealthKit symbols that do not take a prefix. UCUM has no code for `cup_imp`, nor for `dBHL`, a hearing
  /// level that depends on the frequency.
  private static let whole: [String: String] = [
    "count": "{count}", "%": "%",
    "in": "[in_i]", "ft": "[ft_i]", "yd": "[yd_i]", "mi": "[mi_i]",
    "fl_oz_us": "[foz_us]", "fl_oz_imp": "[foz_br]", "pt_us": "[pt_us]", "pt_imp": "[pt_br]",
    "cup_us": "[cup_us]",
    "kcal": "kcal", "Cal": "kcal", "cal": "cal",
    "mmHg": "mm[Hg]", "cmAq": "cm[H2O]", "atm": "atm", "inHg": "[in_i'Hg]",
    "min": "min", "hr": "h", "d": "d",
    "oz": "[oz_av]", "lb": "[lb_av]", "st": "[stone_av]",
    "degC": "Cel", "degF": "[degF]", "deg": "deg",
    "IU": "[iU]", "dBASPL": "dB[SPL]", "D": "[diop]", "pD": "[p'diop]", "appleEffortScore": "{score}",
  ]

  private static let prefixed: [String: String] = [
    "m": "m", "L": "L", "J": "J", "Pa": "Pa", "s": "s", "Hz": "Hz", "g": "g", "mol": "mol", "K": "K",
    "S": "S", "V": "V", "W": "W", "rad": "rad", "lx": "lx",
  ]

  private static let prefixes: [(String, String)] = [
    ("mc", "u"), ("da", "da"), ("f", "f"), ("p", "p"), ("n", "n"), ("m", "m"), ("c", "c"), ("d", "d"),
    ("h", "h"), ("k", "k"), ("M", "M"), ("G", "G"), ("T", "T"),
  ]
}
