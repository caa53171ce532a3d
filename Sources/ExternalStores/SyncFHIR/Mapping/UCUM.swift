import HealthKit

/// The Unified Code for Units of Measure: the units of HealthKit as FHIR wants them.
///
/// Apple's unit strings are not UCUM, and most that look like it are not: `hr`, `IU`, `mmHg`, `lb` and `in`
/// mean nothing there, or something else.
enum UCUM {
  static let system = "http://unitsofmeasure.org"

  /// The code of a unit, and what a value is multiplied by: a per cent of HealthKit's is a fraction, one of
  /// UCUM's a hundredth. Nil where UCUM has no code for the unit.
  static func code(for unit: HKUnit) -> (code: String, factor: Double)? {
    let halves = unit.unitString.split(separator: "/", maxSplits: 1).map(String.init)
    guard let first = halves.first, let above = product(first) else { return nil }
    let below = halves.count > 1 ? product(halves[1]) : Product()
    guard let below else { return nil }
    // A count has no unit of its own: alone it is annotated, in a rate it goes without saying.
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

  /// Of one symbol, with its prefix.
  private static func term(_ symbol: String) -> String? {
    if let code = whole[symbol] { return code }
    for (prefix, code) in prefixes where symbol.hasPrefix(prefix) {
      if let unit = prefixed[String(symbol.dropFirst(prefix.count))] { return code + unit }
    }
    return prefixed[symbol]
  }

  /// Units that take no prefix. No code: `cup_imp`, and `dBHL`, a level above hearing that differs by pitch.
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
