import HealthKit
import HealthSystem
import Testing

@testable import HealthPage

/// Tests the units that are offered for a type.
@Suite struct UnitChoiceTests {
  private func choices(_ identifier: HKQuantityTypeIdentifier) -> [String] {
    HKQuantityType(identifier).unitChoices.map(\.unitString)
  }

  @Test func `each type can be expressed in all units offered for it, each of which is offered once`() {
    let types = HKSampleType.known.compactMap { $0 as? HKQuantityType }
    #expect(types.count > 100)
    for type in types {
      let choices = type.unitChoices
      #expect(!choices.isEmpty && choices.allSatisfy { type.is(compatibleWith: $0) }, "\(type)")
      #expect(Set(choices).count == choices.count && choices.contains(type.displayUnit), "\(type)")
    }
  }

  @Test func `the usual units of other countries are offered`() {
    #expect(choices(.height) == ["km", "m", "cm", "mm", "mi", "yd", "ft", "in"])
    #expect(choices(.bodyTemperature).prefix(2) == ["degC", "degF"])
    #expect(choices(.heartRate) == ["count/min", "count/s"])
    #expect(choices(.oxygenSaturation) == ["%"])
    #expect(Set(choices(.bloodGlucose)).isSuperset(of: ["mg/dL", "mmol<180.1558800000541>/L"]))
    #expect(choices(.vo2Max).contains("mL/min·kg"))
  }
}
