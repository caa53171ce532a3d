import HealthKit
import Testing

@testable import TestSupport

@Suite struct UnitTests {
  private func convert(_ value: Double, _ from: String, _ to: String) -> Double {
    HKQuantity(unit: HKUnit(from: from), doubleValue: value).doubleValue(for: HKUnit(from: to))
  }

  @Test(arguments: [
    ("count/min", "count/min"), ("ml/(kg*min)", "mL/min·kg"), ("kcal/(kg*hr)", "kcal/hr·kg"),
    ("kcal/(hr*kg)", "kcal/hr·kg"), ("mg/dL", "mg/dL"), ("m/s", "m/s"), ("1/s", "1/s"), ("()", "()"),
    ("m/s^2", "m/s^2"), ("m.s^-2", "m/s^2"), ("l", "L"),
    ("mmol<180.15588000005408>/L", "mmol<180.1558800000541>/L"),
    ("mol<58>", "mol<58>"), ("", "()"), ("((()))", "()"), ("mg/(dL*min)", "mg/min·dL"),
    ("mg/s*dL", "mg/dL·s"),
    ("count.min", "min·count"), ("m·1/s", "m/s"), ("mcg", "mcg"), ("min", "min"), ("ft", "ft"), ("m/m", "()"),
    ("m^0", "()"),
    ("(m.s)^2/kg", "m^2·s^2/kg"), ("cup_imp", "cup_imp"), ("dag", "dag"), ("dBASPL", "dBASPL"), ("%", "%"),
  ])
  func aStringHasOneNormalForm(_ string: String, _ normal: String) throws {
    let unit = try HKUnit.validated(from: string)
    #expect(unit.unitString == normal)
    #expect(HKUnit(from: unit.unitString) == unit)
  }

  @Test(arguments: [
    " ", "x", "()·m", "m·()", "()^2", "(m)(m)", "m(m)", "m^2^2", "(m·atm/in^4)^2", ")", "percent", "km<123>",
    "m/s/kg", "m//s", "m^", "m^x", "m^1.5", "(m", "m)", "m..s", "kmin", "kcount", "µg", "mol<>",
    "mol<-1>", "mol<nan>", "mol<1", "m^9999", "((((((((((((((((((((m))))))))))))))))))))", "2", "m s",
    "m^99999999999999999999", "((m^999)^999)^999", "/s",
  ])
  func `an invalid unit is rejected`(_ string: String) {
    #expect(throws: HKValidationError.self) { try HKUnit.validated(from: string) }
  }

  @Test func `no string makes the parser crash`() {
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array("mskgLcoutn/^()*.·1-29<>%{\u{0}}é ")
    for _ in 0..<20_000 {
      let string = String(
        (0..<Int.random(in: 0...12, using: &generator)).map { _ in
          alphabet.randomElement(using: &generator) ?? "m"
        })
      if let unit = try? HKUnit.validated(from: string) {
        #expect(HKUnit(from: unit.unitString) == unit, "\(string)")
      }
    }
  }

  @Test func `factory methods and arithmetic give the units of strings`() {
    #expect(HKUnit.count().unitDivided(by: .minute()) == HKUnit(from: "count/min"))
    #expect(HKUnit.meter().unitMultiplied(by: .second()).unitRaised(toPower: 2) == HKUnit(from: "m^2.s^2"))
    #expect(HKUnit.second().reciprocal() == HKUnit(from: "1/s"))
    #expect(HKUnit.gram().unitRaised(toPower: 1) == .gram())
    #expect(HKUnit.gram().unitRaised(toPower: 0).isNull())
    #expect(HKUnit.meter().unitDivided(by: .meter()).isNull())
    #expect(!HKUnit.literUnit(with: .deci).unitDivided(by: .liter()).isNull())
    #expect(
      HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose).unitString.hasPrefix(
        "mmol<180.15"))
    #expect(HKUnit(from: "m/s^2").hash == HKUnit(from: "m·s^-2").hash)
  }

  @Test(arguments: [
    (72.0, "count/min", "count/s", 1.2), (1.2, "count/s", "count/min", 72), (1, "kcal", "cal", 1000),
    (1, "kcal", "kJ", 4.184), (1, "Cal", "kcal", 1), (27, "degC", "degF", 80.6), (0, "degC", "K", 273.15),
    (32, "degF", "degC", 0), (1, "m^3", "L", 1000), (1, "oz", "g", 28.349523125), (1, "st", "lb", 14),
    (1, "mi", "m", 1609.344), (0.98, "%", "count", 0.98), (760, "mmHg", "atm", 1.0000000008),
    (1, "Hz", "1/s", 1),
    (1, "Hz", "count/s", 1), (1.1, "degC.m", "degF.m", 1.98), (180, "deg", "rad", Double.pi),
    (1, "mol<180>", "g", 180), (1, "ms", "s", 0.001), (1, "d", "hr", 24),
    (5, "mmol<180.15588000005408>/L", "mg/dL", 90.07794),
  ])
  func valuesConvert(_ value: Double, _ from: String, _ to: String, _ expected: Double) {
    #expect(abs(convert(value, from, to) - expected) <= 1e-6 * abs(expected) + 1e-9)
  }

  @Test(arguments: [
    ("dBASPL", "Pa"), ("W", "J/s"), ("IU", "count"), ("appleEffortScore", "count"), ("m", "s"), ("g", "mol"),
    ("dBASPL", "dBHL"), ("D", "pD"), ("count/min", "count"), ("S", "V"), ("lx", "count"), ("rad", "count"),
  ])
  func someUnitsDoNotConvert(_ first: String, _ second: String) {
    #expect(!HKQuantity(unit: HKUnit(from: first), doubleValue: 1).is(compatibleWith: HKUnit(from: second)))
  }

  @Test func aQuantityInItsOwnUnitIsExact() {
    var generator = SeededGenerator(seed: 3)
    for unit in ["count/min", "degF", "mmHg", "kcal", "%"] {
      for _ in 0..<100 {
        let value = Double.random(in: -1e6...1e6, using: &generator)
        #expect(convert(value, unit, unit) == value)
      }
    }
  }

  @Test func quantitiesCompareAcrossUnits() {
    let gram = HKQuantity(unit: .gram(), doubleValue: 1500)
    #expect(gram.compare(HKQuantity(unit: HKUnit(from: "kg"), doubleValue: 1.5)) == .orderedSame)
    #expect(gram.compare(HKQuantity(unit: HKUnit(from: "kg"), doubleValue: 2)) == .orderedAscending)
    #expect(gram.compare(HKQuantity(unit: HKUnit(from: "mg"), doubleValue: 2)) == .orderedDescending)
    #expect(HKQuantity(unit: beatsPerMinute, doubleValue: 72).description == "72 count/min")
    #expect(HKQuantity(unit: beatsPerMinute, doubleValue: 72.5).description == "72.5 count/min")
  }

  @Test func readingInAnIncompatibleUnitTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = HKQuantity(unit: .meter(), doubleValue: 1).doubleValue(for: .second())
    }
  }
}
