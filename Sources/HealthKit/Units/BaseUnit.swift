/// A row of the table of units: all that HealthKit knows about one symbol.
///
/// `numerator / denominator` is its size in g, m, s and their products. The two stay apart so that a conversion
/// such as count/min to count/s divides by 60 once, instead of rounding 1/60 first.
struct BaseUnit: Sendable {
  let symbol: String
  let dimensionality: Dimensionality
  var numerator = 1.0
  var denominator = 1.0
  /// What to add, in K, after scaling (temperatures that stand alone).
  var offset = 0.0
  var takesPrefix = false

  /// The place in `table`, which is also the order of factors in a unit string.
  typealias Index = Int

  /// Molar masses belong to a factor, not to the table: `mol<M>` is M grams.
  static let mole = index("mol")
  static let litre = index("L")

  private static let indices: [String: Index] = {
    var indices = Dictionary(uniqueKeysWithValues: table.enumerated().map { ($1.symbol, $0) })
    indices["l"] = indices["L"]
    return indices
  }()

  /// The unit of exactly this symbol.
  static func find(_ symbol: some StringProtocol) -> Index? {
    indices[String(symbol)]
  }

  /// The unit of a symbol that the table is known to have.
  static func index(_ symbol: String) -> Index {
    guard let index = find(symbol) else { preconditionFailure("no unit \(symbol) in the table") }
    return index
  }
}

extension BaseUnit {
  /// The units of healthkit-api §4: sizes from the SDK's headers where the running framework is not known to
  /// differ, else as measured there (oz, lb, st, mi, mmHg). In the order in which they appear in a unit string, so that
  /// the forms other programs expect come out: `mL/min·kg`, `kcal/hr·kg`, `mg/dL`.
  static let table: [BaseUnit] = scalars + lengths + volumes + energies + pressures + times + masses + others

  private static let scalars = [
    BaseUnit(symbol: "count", dimensionality: .none),
    BaseUnit(symbol: "%", dimensionality: .none),
  ]

  private static let lengths = [
    BaseUnit(symbol: "m", dimensionality: .length, takesPrefix: true),
    BaseUnit(symbol: "in", dimensionality: .length, numerator: 0.0254),
    BaseUnit(symbol: "ft", dimensionality: .length, numerator: 0.3048),
    BaseUnit(symbol: "yd", dimensionality: .length, numerator: 0.9144),
    BaseUnit(symbol: "mi", dimensionality: .length, numerator: 1609.344),
  ]

  private static let volumes = [
    BaseUnit(symbol: "L", dimensionality: .volume, denominator: 1000, takesPrefix: true),
    BaseUnit(symbol: "fl_oz_us", dimensionality: .volume, numerator: 0.0295735295625, denominator: 1000),
    BaseUnit(symbol: "fl_oz_imp", dimensionality: .volume, numerator: 0.0284130625, denominator: 1000),
    BaseUnit(symbol: "pt_us", dimensionality: .volume, numerator: 0.473176473, denominator: 1000),
    BaseUnit(symbol: "pt_imp", dimensionality: .volume, numerator: 0.56826125, denominator: 1000),
    BaseUnit(symbol: "cup_us", dimensionality: .volume, numerator: 0.2365882365, denominator: 1000),
    BaseUnit(symbol: "cup_imp", dimensionality: .volume, numerator: 0.284130625, denominator: 1000),
  ]

  /// 1 J = 1000 g·m²/s². The calories are 4.184 J.
  private static let energies = [
    BaseUnit(symbol: "J", dimensionality: .energy, numerator: 1000, takesPrefix: true),
    BaseUnit(symbol: "kcal", dimensionality: .energy, numerator: 4_184_000),
    BaseUnit(symbol: "Cal", dimensionality: .energy, numerator: 4_184_000),
    BaseUnit(symbol: "cal", dimensionality: .energy, numerator: 4184),
  ]

  /// 1 Pa = 1000 g/(m·s²).
  private static let pressures = [
    BaseUnit(symbol: "Pa", dimensionality: .pressure, numerator: 1000, takesPrefix: true),
    BaseUnit(symbol: "mmHg", dimensionality: .pressure, numerator: 133_322.387415),
    BaseUnit(symbol: "cmAq", dimensionality: .pressure, numerator: 98066.5),
    BaseUnit(symbol: "atm", dimensionality: .pressure, numerator: 101_325_000),
    BaseUnit(symbol: "inHg", dimensionality: .pressure, numerator: 3_386_388.16),
  ]

  private static let times = [
    BaseUnit(symbol: "s", dimensionality: .time, takesPrefix: true),
    BaseUnit(symbol: "min", dimensionality: .time, numerator: 60),
    BaseUnit(symbol: "hr", dimensionality: .time, numerator: 3600),
    BaseUnit(symbol: "d", dimensionality: .time, numerator: 86400),
    BaseUnit(symbol: "Hz", dimensionality: .frequency, takesPrefix: true),
  ]

  private static let masses = [
    BaseUnit(symbol: "g", dimensionality: .mass, takesPrefix: true),
    BaseUnit(symbol: "oz", dimensionality: .mass, numerator: 28.349523125),
    BaseUnit(symbol: "lb", dimensionality: .mass, numerator: 453.59237),
    BaseUnit(symbol: "st", dimensionality: .mass, numerator: 6350.29318),
    BaseUnit(symbol: "mol", dimensionality: Dimensionality(.amount), takesPrefix: true),
  ]

  private static let others = [
    BaseUnit(symbol: "K", dimensionality: Dimensionality(.temperature), takesPrefix: true),
    BaseUnit(symbol: "degC", dimensionality: Dimensionality(.temperature), offset: 273.15),
    BaseUnit(
      symbol: "degF", dimensionality: Dimensionality(.temperature), numerator: 5, denominator: 9,
      offset: 459.67 * 5 / 9),
    BaseUnit(symbol: "S", dimensionality: Dimensionality(.conductance), takesPrefix: true),
    BaseUnit(symbol: "V", dimensionality: Dimensionality(.potential), takesPrefix: true),
    BaseUnit(symbol: "W", dimensionality: Dimensionality(.power), takesPrefix: true),
    BaseUnit(symbol: "rad", dimensionality: Dimensionality(.angle), takesPrefix: true),
    BaseUnit(symbol: "deg", dimensionality: Dimensionality(.angle), numerator: .pi, denominator: 180),
    BaseUnit(symbol: "lx", dimensionality: Dimensionality(.illuminance), takesPrefix: true),
    BaseUnit(symbol: "IU", dimensionality: Dimensionality(.internationalUnits)),
    BaseUnit(symbol: "dBASPL", dimensionality: Dimensionality(.soundPressureLevel)),
    BaseUnit(symbol: "dBHL", dimensionality: Dimensionality(.hearingLevel)),
    BaseUnit(symbol: "D", dimensionality: Dimensionality(.vergence)),
    BaseUnit(symbol: "pD", dimensionality: Dimensionality(.prism)),
    BaseUnit(symbol: "appleEffortScore", dimensionality: Dimensionality(.effort)),
  ]
}
