import HealthKit
import Testing

@testable import TestSupport

/// Tests equality, compatibility and the algebra of units.
@Suite struct UnitLawTests {
  private static let prefixed: [@Sendable (HKMetricPrefix) -> HKUnit] = [
    HKUnit.gramUnit, HKUnit.meterUnit, HKUnit.literUnit, HKUnit.pascalUnit, HKUnit.secondUnit,
    HKUnit.jouleUnit,
    HKUnit.siemenUnit, HKUnit.hertzUnit, HKUnit.voltUnit, HKUnit.wattUnit, HKUnit.radianAngleUnit,
    HKUnit.luxUnit, { HKUnit.moleUnit(with: $0, molarMass: 58.5) },
  ]
  private static let prefixes: [HKMetricPrefix] = [
    .none, .femto, .pico, .nano, .micro, .milli, .centi, .deci, .deca, .hecto, .kilo, .mega, .giga, .tera,
  ]
  private static let plain: [HKUnit] = [
    .ounce(), .pound(), .stone(), .inch(), .foot(), .yard(), .mile(), .fluidOunceUS(), .fluidOunceImperial(),
    .pintUS(), .pintImperial(), .cupUS(), .cupImperial(), .millimeterOfMercury(), .centimeterOfWater(),
    .atmosphere(), .inchesOfMercury(), .decibelAWeightedSoundPressureLevel(), .minute(), .hour(), .day(),
    .kilocalorie(), .smallCalorie(), .largeCalorie(), .degreeCelsius(), .degreeFahrenheit(), .kelvin(),
    .internationalUnit(), .count(), .percent(), .decibelHearingLevel(), .diopter(), .prismDiopter(),
    .degreeAngle(), .appleEffortScore(),
  ]

  private func random(_ generator: inout SeededGenerator) -> HKUnit {
    var unit = HKUnit(from: "()")
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let factor: HKUnit
      if Bool.random(using: &generator), let make = Self.prefixed.randomElement(using: &generator),
        let prefix = Self.prefixes.randomElement(using: &generator)
      {
        factor = make(prefix)
      } else {
        factor = Self.plain.randomElement(using: &generator) ?? .count()
      }
      unit = unit.unitMultiplied(
        by: factor.unitRaised(toPower: Int.random(in: -3...3, using: &generator)))
    }
    return unit
  }

  @Test func `a unit's string parses to the same unit`() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<5000 {
      let unit = random(&generator)
      let back = try HKUnit.validated(from: unit.unitString)
      #expect(back == unit, "\(unit)")
      #expect(back.hash == unit.hash)
      #expect(back.unitString == unit.unitString)
    }
  }

  @Test func `units form a group`() {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<1000 {
      let (a, b, c) = (random(&generator), random(&generator), random(&generator))
      #expect(a.unitMultiplied(by: b) == b.unitMultiplied(by: a))
      #expect(
        a.unitMultiplied(by: b).unitMultiplied(by: c) == a.unitMultiplied(by: b.unitMultiplied(by: c)))
      #expect(a.unitDivided(by: b) == a.unitMultiplied(by: b.reciprocal()))
      #expect(a.unitDivided(by: a).isNull())
      #expect(a.reciprocal().reciprocal() == a)
      #expect(a.unitRaised(toPower: 3) == a.unitMultiplied(by: a).unitMultiplied(by: a))
      #expect(
        a.unitMultiplied(by: b).unitRaised(toPower: -2)
          == a.unitRaised(toPower: -2).unitDivided(by: b.unitRaised(toPower: 2)))
      #expect(a.unitRaised(toPower: 1) == a)
      #expect(a.unitRaised(toPower: 0).isNull())
    }
  }

  @Test func `a quantity in its own unit is exact for all kinds of doubles`() {
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<(isLongRun ? 20_000 : 4000) {
      let unit = random(&generator)
      let value = Double(bitPattern: generator.next())
      guard !value.isNaN else { continue }
      #expect(HKQuantity(unit: unit, doubleValue: value).doubleValue(for: unit) == value)
      let other = HKUnit(from: unit.unitString)
      #expect(HKQuantity(unit: unit, doubleValue: value).doubleValue(for: other) == value)
    }
    let neighbours = [(115.0).nextUp, (100.0).nextDown]
    for value in neighbours + [.leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity] {
      #expect(HKQuantity(unit: beatsPerMinute, doubleValue: value).doubleValue(for: beatsPerMinute) == value)
    }
  }

  @Test func `equality is an equivalence, and hashes agree with it`() {
    var generator = SeededGenerator(seed: 14)
    let units = [HKUnit.inch(), .meter(), .foot(), .mile(), HKUnit(from: "cm")]
    for _ in 0..<5000 {
      let a = HKQuantity(
        unit: units.randomElement(using: &generator) ?? .inch(),
        doubleValue: Double.random(in: 0...1000, using: &generator))
      let unit = units.randomElement(using: &generator) ?? .meter()
      let b = HKQuantity(unit: unit, doubleValue: a.doubleValue(for: unit))
      let c = HKQuantity(unit: unit, doubleValue: a.doubleValue(for: unit).nextUp)
      for (one, other, third) in [(a, b, c), (b, c, a), (c, a, b)] {
        #expect((one == other) == (other == one))
        #expect((one == other) == (one.compare(other) == .orderedSame))
        #expect((one.compare(other) == .orderedAscending) == (other.compare(one) == .orderedDescending))
        if one == other {
          #expect(one.hash == other.hash)
          #expect((one == third) == (other == third))
        }
      }
    }
  }

  @Test func `equal sizes are equal quantities with equal hashes`() {
    let kilogram = HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 1)
    let grams = HKQuantity(unit: .gram(), doubleValue: 1000)
    #expect(kilogram == grams && kilogram.hash == grams.hash)
    #expect(kilogram != HKQuantity(unit: .gram(), doubleValue: (1000.0).nextUp))
    #expect(kilogram != HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 1))
    #expect(
      HKQuantity(unit: .degreeCelsius(), doubleValue: 0) == HKQuantity(unit: .kelvin(), doubleValue: 273.15))
    #expect(
      HKQuantity(unit: .degreeCelsius(), doubleValue: 0) != HKQuantity(unit: .kelvin(), doubleValue: 0))
    #expect(Set([kilogram, grams]).count == 1)
    #expect(
      HKQuantity(unit: HKUnit(from: "W"), doubleValue: 1)
        != HKQuantity(unit: HKUnit(from: "J/s"), doubleValue: 1))
  }

  @Test(arguments: [
    ("m^3", "L"), ("m^2·in", "L"), ("m·km·mm", "L"), ("Hz", "1/s"), ("count/s", "Hz"),
    ("count/min", "count/s"),
    ("%/m", "count/in"), ("()", "count"), ("()", "%"), ("()", "count^2"), ("mol<12>", "kmol<456>"),
    ("mol<12>", "g"), ("mol", "Gmol"), ("J", "kcal"), ("J", "Pa.L"), ("atm", "mmHg"), ("deg", "rad"),
    ("degC", "degF"), ("K", "degC"),
  ])
  func `units of one dimension are compatible`(one: String, other: String) {
    let quantity = HKQuantity(unit: HKUnit(from: one), doubleValue: 1)
    #expect(quantity.is(compatibleWith: HKUnit(from: other)))
    #expect(HKQuantity(unit: HKUnit(from: other), doubleValue: 1).is(compatibleWith: HKUnit(from: one)))
  }

  @Test(arguments: [
    ("%/m", "%/m^2"), ("()", "IU"), ("()", "appleEffortScore"), ("()", "in"), ("dBASPL", "Pa"),
    ("dBASPL", "dBHL"),
    ("W", "J/s"), ("mol", "mol<12>"), ("lx", "count"), ("S", "count"), ("V", "J"), ("D", "1/m"), ("pD", "D"),
    ("rad", "count"), ("count/min", "count"),
  ])
  func `units of different dimensions are not compatible`(one: String, other: String) throws {
    let quantity = HKQuantity(unit: HKUnit(from: one), doubleValue: 1)
    #expect(!quantity.is(compatibleWith: HKUnit(from: other)))
    #expect(throws: HKValidationError.self) { try quantity.validatedDoubleValue(for: HKUnit(from: other)) }
    #expect(throws: HKValidationError.self) {
      try quantity.validatedCompare(HKQuantity(unit: HKUnit(from: other), doubleValue: 1))
    }
  }

  @Test func `the null unit results if all factors cancel`() {
    #expect(HKUnit(from: "m/m").isNull())
    for string in ["m/in", "dL/L", "count/%", "%/count"] { #expect(!HKUnit(from: string).isNull()) }
    #expect(HKUnit(from: "()").unitDivided(by: .liter()).unitString == "1/L")
    #expect(HKUnit.liter().unitDivided(by: HKUnit(from: "()")) == .liter())
  }

  @Test func `conversions to and from formatter units`() {
    let masses: [MassFormatter.Unit] = [.gram, .kilogram, .ounce, .pound, .stone]
    for unit in masses { #expect(HKUnit.massFormatterUnit(from: HKUnit(from: unit)) == unit) }
    let lengths: [LengthFormatter.Unit] = [
      .millimeter, .centimeter, .meter, .kilometer, .inch, .foot, .yard, .mile,
    ]
    for unit in lengths { #expect(HKUnit.lengthFormatterUnit(from: HKUnit(from: unit)) == unit) }
    let energies: [EnergyFormatter.Unit] = [.joule, .kilojoule, .calorie, .kilocalorie]
    for unit in energies { #expect(HKUnit.energyFormatterUnit(from: HKUnit(from: unit)) == unit) }
    #expect(HKUnit(from: MassFormatter.Unit.kilogram) == HKUnit(from: "kg"))
    #expect(HKUnit(from: EnergyFormatter.Unit.kilocalorie) == .kilocalorie())
    #expect(HKUnit.energyFormatterUnit(from: .largeCalorie()) == .kilocalorie)
    #expect(throws: HKValidationError.self) { try HKUnit.massFormatterUnit(validating: .meter()) }
    #expect(throws: HKValidationError.self) { try HKUnit.lengthFormatterUnit(validating: .gram()) }
    #expect(throws: HKValidationError.self) { try HKUnit.energyFormatterUnit(validating: .watt()) }
  }
}
