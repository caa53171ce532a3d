import HealthKit
import Testing

@testable import ExternalStores

/// The table of LOINC codes and units.
@Suite struct QuantityCodeTests {
  @Test func `each code has an existing type and compatible units`() throws {
    #expect(QuantityCode.byIdentifier.count == QuantityCode.table.count)
    for code in QuantityCode.table {
      let type = try #require(HKQuantityType.quantityType(forIdentifier: code.identifier))
      for unit in code.units { #expect(type.is(compatibleWith: HKUnit(from: unit.healthKit))) }
      #expect((code.evidence == .vitalSigns) == (code.profile != nil) || code.units.first?.ucum == "mm[Hg]")
    }
  }
}
