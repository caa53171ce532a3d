import HealthKit
import Testing

@Suite struct BreathingDisturbancesTests {
  private typealias Classification = HKAppleSleepingBreathingDisturbancesClassification

  private func count(_ value: Double) -> HKQuantity { HKQuantity(unit: .count(), doubleValue: value) }

  @Test func `a count is of the classification whose least it reaches`() {
    #expect(Classification.allCases == [.notElevated, .elevated])
    for classification in Classification.allCases {
      #expect(Classification(classifying: classification.minimum) == classification)
    }
    #expect(Classification(classifying: count(14.9)) == .notElevated)
    #expect(Classification(classifying: count(80)) == .elevated)
  }

  @Test func `what is no count has no classification`() {
    for quantity in [count(-1), count(.nan), count(.infinity), HKQuantity(unit: .meter(), doubleValue: 20)] {
      #expect(Classification(classifying: quantity) == nil)
    }
  }
}
