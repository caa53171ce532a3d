import HealthFormats
import Testing

/// Tests unit strings of Apple's framework, as found in tests of programs and in exported data.
@Suite struct UnitGrammarTests {
  @Test(arguments: [
    ("g/IU", "g/IU"), ("IU/hr", "IU/hr"), ("mg/dL", "mg/dL"), ("mg/dL.s", "mg/dL·s"), ("mg/s.dL", "mg/dL·s"),
    ("mg/dL.min", "mg/min·dL"), ("mg/dL.IU", "mg/dL·IU"),
    ("mmol<180.1558800000541>/L.s", "mmol<180.1558800000541>/L·s"),
    ("mmol<180.1558800000541>/L.min", "mmol<180.1558800000541>/min·L"),
    ("mmol<180.1558800000541>/L.IU", "mmol<180.1558800000541>/L·IU"), ("mL/(kg.min)", "mL/min·kg"),
    ("kcal/(kg*hr)", "kcal/hr·kg"), ("count.min", "min·count"), ("count/min", "count/min"),
    ("L/s.g", "L/g·s"), ("m.degF", "m·degF"), ("m.degC", "degC·m"), ("hr.L", "L·hr"),
    ("GL.m^4.atm^2/in^2", "m^4·atm^2·GL/in^2"), ("L^2/min^2", "L^2/min^2"),
  ])
  func `factors are in the order that other programs expect`(string: String, normal: String) throws {
    #expect(try UnitForm(parsing: string).unitString == normal)
  }

  @Test(arguments: ["", "()", "(())", "((()))", "m/m", "m^0", "(m.s)^0", "1", "1/1"])
  func `the null unit has many spellings`(string: String) throws {
    #expect(try UnitForm(parsing: string).factors.isEmpty)
    #expect(try UnitForm(parsing: string).unitString == "()")
  }

  @Test(arguments: [
    ("m·1/s", "m/s"), ("(m)·(m)", "m^2"), ("m*m", "m^2"), ("1/s", "s^-1"), ("1/s^2", "s^-2"), ("m^1", "m"),
    ("(m^2)^2", "m^4"), ("((m·atm)^2)^2·GL/in^2", "m^4·atm^4·GL/in^2"), ("atm·(m·L)^2", "atm·m^2·L^2"),
    ("(atm·m)·L", "L·m·atm"), ("ml/kg*min", "mL/min·kg"), ("mg/dl", "mg/dL"),
    ("kg/(m.s^2)", "kg.m^-1.s^-2"), ("kg/m.s^2", "kg/(m.s^2)"), ("m^-2", "1/m^2"),
  ])
  func `two spellings of one unit are equal`(one: String, other: String) throws {
    let (one, other) = (try UnitForm(parsing: one), try UnitForm(parsing: other))
    #expect(one.factors == other.factors)
    #expect(one.factors.hashValue == other.factors.hashValue)
  }

  @Test(arguments: [
    "(", ")", "()·()", "()·m", "m·()", "(m)(m)", "m(m)", "()^2", "/s", "m^2^2", "(m·atm/in^4)^2", "percent",
    "(L/min)^2",
    "km<123>", "mol<>", "ml/kg/min", "m//s", "m/s/s", "count^", "(m", "notAUnit", "µg", "ug", "kcount", "k%",
    "kmin", "mft", "dayz", "Mcal<1>", "m^1.5", "m^+1", "m^--1", " m", "m ", "m/ s", "mol<0>", "mol<-1>",
    "mol<inf>", "mol<nan>", "mol<0x10>", "mol<+5>", "1m", "m1", "2", "m^1000", "(m^500)^3", "m^999/m^-999",
    "count^999/count^-999",
    "L^9223372036854775808",
  ])
  func `an invalid unit is rejected with the position of the error`(string: String) throws {
    let error = #expect(throws: UnitError.self) { try UnitForm(parsing: string) }
    guard case .unreadable(string, let place)? = error else {
      Issue.record("\(string): \(String(describing: error))")
      return
    }
    #expect((0...string.count).contains(place))
    #expect(
      error?.description == "Unable to parse factorization string \"\(string)\" at character \(place)")
  }

  @Test func `a long string is rejected before parsing`() throws {
    let factors = (1...20_000).map { "mol<\($0)>" }
    #expect(throws: UnitError.tooLong(maximum: 1024)) {
      try UnitForm(parsing: factors.joined(separator: "."))
    }
    #expect(throws: UnitError.self) { try UnitForm(parsing: factors.prefix(33).joined(separator: ".")) }
    #expect(try UnitForm(parsing: factors.prefix(32).joined(separator: ".")).factors.count == 32)
  }

  @Test func `a product that no string can express is rejected`() throws {
    let metre = [UnitFactor("m")]
    #expect(throws: UnitError.outOfBounds) { try [].product(with: metre, power: 1000) }
    #expect(throws: UnitError.outOfBounds) { try [].product(with: metre, power: .min) }
    #expect(throws: UnitError.outOfBounds) {
      try UnitForm(parsing: "m^999").factors.product(with: metre, power: 1)
    }
    #expect(try [UnitFactor]().product(with: [], power: .max).isEmpty)
    #expect(try UnitForm([].product(with: metre, power: -999)).unitString == "1/m^999")
  }

  @Test(arguments: [0, -1, .nan, .infinity] as [Double])
  func `a molar mass is a positive number`(mass: Double) {
    #expect(throws: UnitError.molarMassNotPositive) { try UnitFactor.mole(.milli, molarMass: mass) }
  }

  @Test func `every prefix has its symbol and its power of ten`() throws {
    let prefixes: [(MetricPrefix, String, Double)] = [
      (.none, "m", 1), (.femto, "fm", 1e-15), (.pico, "pm", 1e-12), (.nano, "nm", 1e-9),
      (.micro, "mcm", 1e-6), (.milli, "mm", 1e-3), (.centi, "cm", 1e-2), (.deci, "dm", 1e-1),
      (.deca, "dam", 1e1), (.hecto, "hm", 1e2), (.kilo, "km", 1e3), (.mega, "Mm", 1e6), (.giga, "Gm", 1e9),
      (.tera, "Tm", 1e12),
    ]
    for (prefix, string, size) in prefixes {
      let form = UnitForm([UnitFactor("m", prefix)])
      #expect(form.unitString == string)
      #expect(form.size(of: 1) == size)
      #expect(try UnitForm(parsing: string).factors == form.factors)
    }
  }
}
