import HealthKit
import Testing

/// Unit strings as Apple's framework reads and writes them, seen in programs' own tests and in exported data.
@Suite struct UnitStringTests {
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
  func `factors come in the order that other programs expect`(string: String, normal: String) {
    #expect(HKUnit(from: string).unitString == normal)
    #expect(HKUnit(from: string).description == normal)
  }

  @Test(arguments: ["", "()", "(())", "((()))", "m/m", "m^0", "(m.s)^0", "1", "1/1"])
  func `the null unit has many spellings`(string: String) {
    #expect(HKUnit(from: string).isNull())
    #expect(HKUnit(from: string).unitString == "()")
    #expect(HKUnit(from: string) == HKUnit(from: "()"))
  }

  @Test(arguments: [
    ("m·1/s", "m/s"), ("(m)·(m)", "m^2"), ("m*m", "m^2"), ("1/s", "s^-1"), ("1/s^2", "s^-2"), ("m^1", "m"),
    ("(m^2)^2", "m^4"), ("((m·atm)^2)^2·GL/in^2", "m^4·atm^4·GL/in^2"), ("atm·(m·L)^2", "atm·m^2·L^2"),
    ("(atm·m)·L", "L·m·atm"), ("ml/kg*min", "mL/min·kg"), ("mg/dl", "mg/dL"),
    ("kg/(m.s^2)", "kg.m^-1.s^-2"), ("kg/m.s^2", "kg/(m.s^2)"), ("m^-2", "1/m^2"),
  ])
  func `two spellings are one unit`(one: String, other: String) {
    #expect(HKUnit(from: one) == HKUnit(from: other))
    #expect(HKUnit(from: one).hash == HKUnit(from: other).hash)
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
  func `what is no unit is refused with its place`(string: String) {
    do {
      _ = try HKUnit.validated(from: string)
      Issue.record("\(string) was read")
    } catch {
      #expect(error.exception == .invalidArgument)
      #expect(error.reason.contains("Unable to parse factorization string"))
    }
  }

  @Test func `a string that is no unit ends the process in the initialiser of Apple's spelling`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = HKUnit(from: "furlong")
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("NSInvalidArgumentException"))
    #expect(message.contains("furlong"))
  }

  @Test func `a long string is refused before it is read`() {
    let factors = (1...20_000).map { "mol<\($0)>" }
    #expect(throws: HKValidationError.self) { try HKUnit.validated(from: factors.joined(separator: ".")) }
    #expect(throws: HKValidationError.self) {
      try HKUnit.validated(from: factors.prefix(33).joined(separator: "."))
    }
    #expect((try? HKUnit.validated(from: factors.prefix(32).joined(separator: "."))) != nil)
  }

  @Test func `a power that no string can say ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = HKUnit.meter().unitRaised(toPower: 1000) }
    await #expect(processExitsWith: .failure) { _ = HKUnit.meter().unitRaised(toPower: .min) }
    await #expect(processExitsWith: .failure) {
      _ = HKUnit(from: "m^999").unitMultiplied(by: .meter())
    }
    #expect(HKUnit(from: "()").unitRaised(toPower: 7).isNull())
  }

  @Test func `a molar mass is a positive number`() {
    #expect(throws: HKValidationError.self) { try HKUnit.moleUnit(with: .none, validatingMolarMass: -1) }
    #expect(throws: HKValidationError.self) { try HKUnit.moleUnit(with: .none, validatingMolarMass: .nan) }
  }

  @Test func `a molar mass is read to sixteen digits`() {
    let glucose = HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose)
    #expect(glucose.unitString == "mmol<180.1558800000541>")
    #expect(HKUnit(from: "mmol<180.1558800000541>") == glucose)
    #expect(HKUnit(from: "mmol<180.15588000005408>") == glucose)
    #expect(HKUnit(from: "mmol<180.15588000005408>").hash == glucose.hash)
    #expect(HKUnit(from: "mol<18.02>") != HKUnit(from: "mol<18.03>"))
    #expect(HKUnit(from: "mol") != HKUnit(from: "mol<18.02>"))
  }

  @Test func `the same string is the same object, parsed once`() {
    // Between two readings another test may fill the registry, which then starts anew; not every time.
    #expect((0..<20).contains { _ in HKUnit(from: "mg/min·dL") === HKUnit(from: "mg/min·dL") })
    #expect(
      (0..<20).contains { _ in HKUnit(from: "count/min") === HKUnit.count().unitDivided(by: .minute()) })
  }

  @Test func `names that could be a prefix and another name`() {
    #expect(HKUnit(from: "min") == .minute())
    #expect(HKUnit(from: "ft") == .foot())
    #expect(HKUnit(from: "Pa") == .pascal())
    #expect(HKUnit(from: "mmHg") == .millimeterOfMercury())
    #expect(HKUnit(from: "cmAq") == .centimeterOfWater())
    #expect(HKUnit(from: "d") == .day())
    #expect(HKUnit(from: "D") == .diopter())
    #expect(HKUnit(from: "pD") == .prismDiopter())
    #expect(HKUnit(from: "deg") == .degreeAngle())
    #expect(HKUnit(from: "dag") == .gramUnit(with: .deca))
    #expect(HKUnit(from: "mcg") == .gramUnit(with: .micro))
    #expect(HKUnit(from: "pt_us") == .pintUS())
    #expect(HKUnit(from: "cal") == .smallCalorie())
    #expect(HKUnit(from: "Cal") == .largeCalorie())
    #expect(HKUnit(from: "Cal") != .kilocalorie())
    #expect(HKUnit(from: "dBHL") == .decibelHearingLevel())
  }

  @Test func `thousands of strings from outside do not stay in memory`() throws {
    for number in 0..<5000 { _ = try HKUnit.validated(from: "mol<\(number + 1)>") }
    // The registry has started anew; a unit is equal all the same.
    #expect(try HKUnit.validated(from: "mol<4999>") == HKUnit.validated(from: "mol<4999>"))
  }
}
