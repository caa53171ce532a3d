/// A unit symbol, such as `cal`, and its properties.
///
/// The size is a fraction of integers, relative to products of g, m and s, so that conversions between units
/// with a rational ratio are exact.
struct BaseUnit: Sendable {
  let symbol: String
  let dimensionality: Dimensionality
  let scale: UnitScale
  let zero: TemperatureZero
  let takesPrefix: Bool

  init(
    _ symbol: String, _ dimensionality: Dimensionality, _ numerator: UInt128 = 1,
    over denominator: UInt128 = 1,
    powerOfPi: Int = 0, zero: TemperatureZero = .absolute, takesPrefix: Bool = false
  ) {
    self.symbol = symbol
    self.dimensionality = dimensionality
    scale = UnitScale(ExactRatio(numerator, denominator), powerOfPi: powerOfPi)
    self.zero = zero
    self.takesPrefix = takesPrefix
  }

  /// The index of a unit in the table of units. It also determines the order of factors in a unit string.
  typealias Index = Int

  /// The mole. `mol<M>` is M grams. Molar masses are not in the table, but in a `UnitFactor`.
  static let mole = index("mol")

  private static let indices: [String: Index] = {
    var indices = Dictionary(uniqueKeysWithValues: table.enumerated().map { ($1.symbol, $0) })
    indices["l"] = indices["L"]
    return indices
  }()

  /// Returns the unit with exactly this symbol.
  static func find(_ symbol: some StringProtocol) -> Index? {
    indices[String(symbol)]
  }

  /// Returns the unit with a symbol. Traps if the table does not contain it.
  static func index(_ symbol: String) -> Index {
    guard let index = find(symbol) else { preconditionFailure("no unit \(symbol) in the table") }
    return index
  }
}

extension BaseUnit {
  /// All unit symbols of HealthKit. Sizes are from the SDK's headers, or as measured if Apple's framework
  /// differs from them (oz, lb, st, mi, mmHg). The order is that of factors in a unit string. It leads to the
  /// strings that other programs expect: `mL/min·kg`, `kcal/hr·kg`, `mg/dL`.
  static let table: [BaseUnit] = scalars + lengths + volumes + energies + pressures + times + masses + others

  private static let scalars = [
    BaseUnit("count", .none),
    BaseUnit("%", .none),
  ]

  private static let lengths = [
    BaseUnit("m", .length, takesPrefix: true),
    BaseUnit("in", .length, 254, over: 10_000),
    BaseUnit("ft", .length, 3048, over: 10_000),
    BaseUnit("yd", .length, 9144, over: 10_000),
    BaseUnit("mi", .length, 1_609_344, over: 1000),
  ]

  /// The sizes are in m³: 1 L is 0.001 m³.
  private static let volumes = [
    BaseUnit("L", .volume, over: 1000, takesPrefix: true),
    BaseUnit("fl_oz_us", .volume, 295_735_295_625, over: 10_000_000_000_000_000),
    BaseUnit("fl_oz_imp", .volume, 284_130_625, over: 10_000_000_000_000),
    BaseUnit("pt_us", .volume, 473_176_473, over: 1_000_000_000_000),
    BaseUnit("pt_imp", .volume, 56_826_125, over: 100_000_000_000),
    BaseUnit("cup_us", .volume, 2_365_882_365, over: 10_000_000_000_000),
    BaseUnit("cup_imp", .volume, 284_130_625, over: 1_000_000_000_000),
  ]

  /// The sizes are in g·m²/s²: 1 J is 1000 g·m²/s². A calorie is 4.184 J.
  private static let energies = [
    BaseUnit("J", .energy, 1000, takesPrefix: true),
    BaseUnit("kcal", .energy, 4_184_000),
    BaseUnit("Cal", .energy, 4_184_000),
    BaseUnit("cal", .energy, 4184),
  ]

  /// The sizes are in g/(m·s²): 1 Pa is 1000 g/(m·s²).
  private static let pressures = [
    BaseUnit("Pa", .pressure, 1000, takesPrefix: true),
    BaseUnit("mmHg", .pressure, 133_322_387_415, over: 1_000_000),
    BaseUnit("cmAq", .pressure, 980_665, over: 10),
    BaseUnit("atm", .pressure, 101_325_000),
    BaseUnit("inHg", .pressure, 338_638_816, over: 100),
  ]

  private static let times = [
    BaseUnit("s", .time, takesPrefix: true),
    BaseUnit("min", .time, 60),
    BaseUnit("hr", .time, 3600),
    BaseUnit("d", .time, 86400),
    BaseUnit("Hz", .frequency, takesPrefix: true),
  ]

  private static let masses = [
    BaseUnit("g", .mass, takesPrefix: true),
    BaseUnit("oz", .mass, 28_349_523_125, over: 1_000_000_000),
    BaseUnit("lb", .mass, 45_359_237, over: 100_000),
    BaseUnit("st", .mass, 635_029_318, over: 100_000),
    BaseUnit("mol", Dimensionality(.amount), takesPrefix: true),
  ]

  private static let others = [
    BaseUnit("K", Dimensionality(.temperature), takesPrefix: true),
    BaseUnit("degC", Dimensionality(.temperature), zero: TemperatureZero(hundredths: 273_15)),
    BaseUnit("degF", Dimensionality(.temperature), 5, over: 9, zero: TemperatureZero(hundredths: 459_67)),
    BaseUnit("S", Dimensionality(.conductance), takesPrefix: true),
    BaseUnit("V", Dimensionality(.potential), takesPrefix: true),
    BaseUnit("W", Dimensionality(.power), takesPrefix: true),
    BaseUnit("rad", Dimensionality(.angle), takesPrefix: true),
    BaseUnit("deg", Dimensionality(.angle), over: 180, powerOfPi: 1),
    BaseUnit("lx", Dimensionality(.illuminance), takesPrefix: true),
    BaseUnit("IU", Dimensionality(.internationalUnits)),
    BaseUnit("dBASPL", Dimensionality(.soundPressureLevel)),
    BaseUnit("dBHL", Dimensionality(.hearingLevel)),
    BaseUnit("D", Dimensionality(.vergence)),
    BaseUnit("pD", Dimensionality(.prism)),
    BaseUnit("appleEffortScore", Dimensionality(.effort)),
  ]
}

/// The difference between the zero of a temperature scale and absolute zero, in hundredths of a degree of
/// that scale: 27315 for °C and 45967 for °F.
struct TemperatureZero: Hashable, Sendable {
  var hundredths: Int

  static let absolute = TemperatureZero(hundredths: 0)
}
