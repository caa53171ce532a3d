import HealthKit
import Testing

@Suite struct WalkingSteadinessTests {
  private typealias Classification = HKAppleWalkingSteadinessClassification

  private func percent(_ value: Double) -> HKQuantity { HKQuantity(unit: .percent(), doubleValue: value) }

  @Test func theClassificationsCoverEveryScoreOnce() throws {
    #expect(Classification.allCases == [.ok, .low, .veryLow])
    #expect(Classification.veryLow.minimum == percent(0))
    #expect(Classification.veryLow.maximum == Classification.low.minimum)
    #expect(Classification.low.maximum == Classification.ok.minimum)
    #expect(Classification.ok.maximum == percent(1))
  }

  @Test func `a score has the classification of its range`() throws {
    for classification in Classification.allCases {
      #expect(try Classification(for: classification.minimum) == classification)
    }
    #expect(try Classification(for: percent(1)) == .ok)
    #expect(try Classification(for: percent(0.39)) == .low)
    #expect(try Classification(for: HKQuantity(unit: .count(), doubleValue: 0.1)) == .veryLow)
  }

  @Test func `an invalid score is rejected`() {
    for quantity in [
      percent(-0.01), percent(1.01), percent(.nan), HKQuantity(unit: .meter(), doubleValue: 0.5),
    ] {
      #expect { try Classification(for: quantity) } throws: { isInvalidArgument($0) }
    }
  }
}
