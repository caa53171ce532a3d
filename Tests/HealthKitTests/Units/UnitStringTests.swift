import HealthKit
import Testing

/// Tests unit strings as units of HealthKit. `UnitGrammarTests` tests the grammar itself.
@Suite struct UnitStringTests {
  @Test(arguments: ["(", "()·m", "notAUnit", "km<123>", "m^1000", "L^9223372036854775808"])
  func `an invalid unit is rejected with the position of the error`(string: String) {
    do {
      _ = try HKUnit.validated(from: string)
      Issue.record("\(string) was read")
    } catch {
      #expect(error.exception == .invalidArgument)
      #expect(error.reason.contains("Unable to parse factorization string"))
    }
  }

  @Test func `an invalid string traps in Apple's initializer`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = HKUnit(from: "furlong")
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("NSInvalidArgumentException"))
    #expect(message.contains("furlong"))
  }

  @Test func `a long string is rejected before parsing`() {
    let factors = (1...20_000).map { "mol<\($0)>" }
    #expect(throws: HKValidationError.self) { try HKUnit.validated(from: factors.joined(separator: ".")) }
    #expect(throws: HKValidationError.self) {
      try HKUnit.validated(from: factors.prefix(33).joined(separator: "."))
    }
    #expect((try? HKUnit.validated(from: factors.prefix(32).joined(separator: "."))) != nil)
  }

  @Test func `a power that no string can express traps`() async {
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

  @Test func `a molar mass is read with sixteen digits`() {
    let glucose = HKUnit.moleUnit(with: .milli, molarMass: HKUnitMolarMassBloodGlucose)
    #expect(glucose.unitString == "mmol<180.1558800000541>")
    #expect(HKUnit(from: "mmol<180.1558800000541>") == glucose)
    #expect(HKUnit(from: "mmol<180.15588000005408>") == glucose)
    #expect(HKUnit(from: "mmol<180.15588000005408>").hash == glucose.hash)
    #expect(HKUnit(from: "mol<18.02>") != HKUnit(from: "mol<18.03>"))
    #expect(HKUnit(from: "mol") != HKUnit(from: "mol<18.02>"))
  }

  @Test func `the same string gives the same object, and is parsed once`() {
    // Try several times, because another test may fill the registry between two calls, which empties it.
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

  @Test func `thousands of untrusted strings are not kept in memory`() throws {
    for number in 0..<5000 { _ = try HKUnit.validated(from: "mol<\(number + 1)>") }
    // The registry of units was emptied between the two calls. The units are equal nevertheless.
    #expect(try HKUnit.validated(from: "mol<4999>") == HKUnit.validated(from: "mol<4999>"))
  }
}
