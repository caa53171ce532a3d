import HealthKit
import Testing

@testable import ExternalStores

/// The table of codes.
@Suite struct QuantityCodeTests {
  @Test func `each code is of a type that there is, and its units are of the type`() throws {
    #expect(QuantityCode.byIdentifier.count == QuantityCode.table.count)
    for code in QuantityCode.table {
      let type = try #require(HKQuantityType.quantityType(forIdentifier: code.identifier))
      for unit in code.units { #expect(type.is(compatibleWith: HKUnit(from: unit.healthKit))) }
      #expect((code.evidence == .vitalSigns) == (code.profile != nil) || code.units.first?.ucum == "mm[Hg]")
    }
  }
}
