import HealthKit
import Testing

@Suite struct BreathingDisturbancesTests {
  private typealias Classification = HKAppleSleepingBreathingDisturbancesClassification

  private func count(_ value: Double) -> HKQuantity { HKQuantity(unit: .count(), doubleValue: value) }

  @Test func `a value has the classification whose minimum it reaches`() {
    #expect(Classification.allCases == [.notElevated, .elevated])
    for classification in Classification.allCases {
      #expect(Classification(classifying: classification.minimum) == classification)
    }
    #expect(Classification(classifying: count(14.9)) == .notElevated)
    #expect(Classification(classifying: count(80)) == .elevated)
  }

  @Test func `a quantity in another unit has no classification`() {
    for quantity in [count(-1), count(.nan), count(.infinity), HKQuantity(unit: .meter(), doubleValue: 20)] {
      #expect(Classification(classifying: quantity) == nil)
    }
  }
}
